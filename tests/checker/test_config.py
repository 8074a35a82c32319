"""Settings of the checker: where they are found, what they mean, and how faults are reported."""

import re
from pathlib import Path

import pytest

from ligament.checker import config as config_module
from ligament.checker.config import Config, Settings, find_config, read_config
from ligament.errors import ContentError, FileError, FormatError, LigamentError

ROOT = Path(__file__).parents[2]
CODE, OTHER = "NODE_CONSTRAINT_BETA", "NODE_CONSTRAINT_SCALE"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_all_settings_are_read(tmp_path: Path) -> None:
    text = f"""
        [check]
        ignore = ["{CODE}"]
        fail-on = "hint"
        severity = {{ {OTHER} = "info" }}
        [check.files."*.vrm"]
        fail-on = "never"
    """
    path = write(tmp_path / "ligament.toml", text)
    assert read_config(path) == Config(
        path,
        Settings(frozenset({CODE}), "hint", {OTHER: "info"}),
        {"*.vrm": Settings(fail_on="never")},
    )


def test_pyproject_says_the_same_under_tool(tmp_path: Path) -> None:
    text = f'[project]\nname = "x"\n[tool.ligament.check]\nignore = ["{CODE}"]\n'
    config = read_config(write(tmp_path / "pyproject.toml", text))
    assert config.settings == Settings(frozenset({CODE}))


def test_the_nearest_file_with_settings_is_found(tmp_path: Path) -> None:
    far = write(tmp_path / "ligament.toml", "")
    write(tmp_path / "a" / "pyproject.toml", "[tool.other]\nx = 1\n")
    near = write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.ligament]\n")
    first = write(tmp_path / "c" / "ligament.toml", "")
    write(tmp_path / "c" / "pyproject.toml", "[tool.ligament]\n")
    assert find_config(tmp_path / "a" / "x.glb").path == far
    assert find_config(tmp_path / "a" / "b" / "c" / "x.glb").path == near
    assert find_config(tmp_path / "a" / "b" / ".." / "x.glb").path == far
    assert find_config(tmp_path / "c" / "x.glb").path == first


def test_without_a_file_nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_module, "NAMES", ("no such file",))
    assert find_config(tmp_path / "x.glb") == Config()
    assert Config().settings_for(tmp_path / "x.glb") == Settings()


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("*.vrm", ["a.vrm", "d/e/a.vrm"], ["a.vrma", "a.vrm/b.glb"]),
        ("d/*", ["d/a.glb"], ["a.glb", "d/e/a.glb", "x/d/a.glb"]),
        ("d/**", ["d/a.glb", "d/e/a.glb"], ["a.glb", "x/d/a.glb"]),
        ("**/d/*", ["d/a.glb", "x/y/d/a.glb"], ["d/e/a.glb"]),
        ("d/**/a?.[gv]*", ["d/a1.glb", "d/e/f/a2.vrm"], ["d/a.glb", "d/a1.bin"]),
    ],
)
def test_globs_choose_files_below_the_folder_of_the_settings(
    tmp_path: Path, glob: str, matching: list[str], others: list[str]
) -> None:
    config = Config(tmp_path / "ligament.toml", Settings(), {glob: Settings(fail_on="never")})
    for name in matching:
        assert config.settings_for(tmp_path / name).fail_on == "never", name
    for name in others:
        assert config.settings_for(tmp_path / name).fail_on is None, name


def test_later_globs_come_on_top() -> None:
    config = Config(
        Path("ligament.toml"),
        Settings(frozenset({CODE}), "error", {CODE: "info", OTHER: "hint"}),
        {
            "*.glb": Settings(frozenset({OTHER}), "warning", {CODE: "error"}),
            "a.*": Settings(fail_on="never"),
        },
    )
    assert config.settings_for(Path("a.glb")) == Settings(
        frozenset({CODE, OTHER}), "never", {CODE: "error", OTHER: "hint"}
    )
    assert config.settings_for(Path("b.glb")).fail_on == "warning"
    assert config.settings_for(Path("b.vrm")) == config.settings


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[chekc]", "chekc", "did you mean check?"),
        ("[check]\nfail_on = 'error'", "check.fail_on", "did you mean fail-on?"),
        ("[check]\nzzz = 1", "check.zzz", "ignore, fail-on, severity, files"),
        ("[check.files.'a/*']\nseverty = {}", 'check.files."a/*".severty', "mean severity?"),
        ("[check.files.a.files.b]", "check.files.a.files", "unknown key 'files'"),
        ("[check]\nignore = 'A'", "check.ignore", "it must be an array of codes"),
        ("[check]\nignore = [1]", "check.ignore", "it must be an array of codes"),
        ("[check]\nignore = ['NODE_CONSTRAINT_BETTA']", "check.ignore", f"mean {CODE}?"),
        ("[check]\nfail-on = 'eror'", "check.fail-on", "one of error, warning, info, hint, never"),
        ("[check]\nfail-on = ['error']", "check.fail-on", "found ['error']"),
        (f"[check.severity]\n{CODE} = 'bad'", f"check.severity.{CODE}", "one of error, warning"),
        ("[check.severity]\nNODE_CONSTRAINT_BETTA = 'info'", "check.severity", f"mean {CODE}?"),
        ("[check]\nseverity = 'info'", "check.severity", "it must be a table"),
        ("[check.severity]\nFILE_UNREADABLE = 'info'", "check.severity", "cannot be ignored"),
        ("check = 3", "check", "it must be a table"),
        ("[check]\nfiles = []", "check.files", "it must be a table"),
    ],
)
def test_faults_name_the_file_and_the_key(tmp_path: Path, text: str, key: str, words: str) -> None:
    path = write(tmp_path / "ligament.toml", text)
    with pytest.raises(ContentError) as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}: {key}: ")
    assert words in str(caught.value)


def test_faults_in_pyproject_have_the_whole_key(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[tool.ligament.chek]\n")
    with pytest.raises(ContentError, match=re.escape(f"{path}: tool.ligament.chek: ")):
        find_config(tmp_path / "a.glb")


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"[check", FormatError, "at end of document"),
        (b"\xff", FormatError, "is not UTF-8"),
        (None, FileError, "cannot be read"),
    ],
)
def test_files_that_are_not_toml_are_reported(
    tmp_path: Path, content: bytes | None, kind: type[LigamentError], words: str
) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(kind, match=words) as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_the_settings_of_the_documentation_are_valid(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "checking-in-ci.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    config = read_config(write(tmp_path / "ligament.toml", text))
    assert config.settings.fail_on == "warning"
    assert config.settings_for(tmp_path / "drafts" / "x" / "a.glb").fail_on == "never"
    assert config.settings_for(tmp_path / "a.vrma").severity["VRMA_REST_SCALE"] == "info"
