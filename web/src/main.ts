// The element <ligament-player>: plays a recording inside a page.
import { readSource, unpack } from "./data.ts";
import { element } from "./dom.ts";
import type { Decoders } from "./model.ts";
import { Player } from "./player.ts";
import style from "./style.css";

/** Distance outside the window at which a player is loaded or unloaded. */
const NEAR = "50%";

class PlayerElement extends HTMLElement {
  player: Player | null = null;
  /** Time from the start of loading to the first picture [s]. */
  loadSeconds = NaN;
  ready: Promise<Player>;
  #resolve!: (player: Player) => void;
  #loading = false;
  #isNear = false;
  #root: HTMLElement | undefined;
  #watch: IntersectionObserver | undefined;

  constructor() {
    super();
    this.ready = new Promise((resolve) => (this.#resolve = resolve));
  }

  connectedCallback(): void {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = element("style", "", style);
    this.#root = element("div", "root");
    this.#root.tabIndex = -1;
    this.#root.append(element("p", "message", "loading …"));
    shadow.replaceChildren(sheet, this.#root);
    if (this.hasAttribute("page")) {
      void this.#load();
      return;
    }
    // The wheel scrolls the page around a player; with Ctrl it zooms, like a pinch.
    this.#root.addEventListener("wheel", (event) => event.ctrlKey || event.stopImmediatePropagation(), { capture: true });
    // A page may have more players than a browser has WebGL contexts: only those nearby are loaded.
    this.#watch = new IntersectionObserver(
      (entries) => (entries.at(-1)?.isIntersecting ? void this.#load() : this.#unload()),
      { rootMargin: NEAR },
    );
    this.#watch.observe(this);
  }

  disconnectedCallback(): void {
    this.#watch?.disconnect();
    this.#unload();
  }

  async #load(): Promise<void> {
    this.#isNear = true;
    if (this.player || this.#loading || !this.#root) return;
    this.#loading = true;
    try {
      await this.#start(this.#root);
    } catch (fault) {
      this.#isNear = false; // it would fail again
      this.#root.replaceChildren(element("p", "message", `This cannot be shown: ${String(fault)}`));
      console.error(fault);
    } finally {
      this.#loading = false;
    }
    if (this.#isNear && !this.player) void this.#load(); // it came back into the page
  }

  async #start(root: HTMLElement): Promise<void> {
    const start = performance.now();
    const [source, found] = await Promise.all([readSource(this), decoders()]);
    if (!this.#isNear) return;
    const isStill = this.hasAttribute("still") || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const player = new Player(root, source, { isPage: this.hasAttribute("page"), autoplay: !isStill });
    this.player = player;
    const beside = this.id && document.querySelector<CurvesElement>(`ligament-curves[for="${CSS.escape(this.id)}"]`);
    if (beside) player.showPanel(false); // its curves are there already
    await player.start(found);
    if (player.isDisposed) return;
    if (beside) player.drawBeside(beside.root);
    this.loadSeconds = (performance.now() - start) / 1000;
    this.#resolve(player);
  }

  #unload(): void {
    this.#isNear = false;
    this.player?.dispose();
    this.player = null;
    this.ready = new Promise((resolve) => (this.#resolve = resolve));
  }
}

/** Curves beside a player, which draws them: `<ligament-curves for="ID">`. */
class CurvesElement extends HTMLElement {
  readonly root = element("div", "root curves");

  connectedCallback(): void {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.replaceChildren(element("style", "", style), this.root);
  }
}

let found: Promise<Decoders> | undefined;

/** Return the addresses of the decoders in the page, which all players share. */
function decoders(): Promise<Decoders> {
  found ??= Promise.all(
    [...document.querySelectorAll("script[data-decoder]")].map(async (script): Promise<[string, string]> => {
      const bytes = await unpack(script.textContent ?? "");
      return [script.getAttribute("data-decoder") ?? "", URL.createObjectURL(new Blob([bytes]))];
    }),
  ).then((pairs) => new Map(pairs));
  return found;
}

/** The page's handle for scripts and tests. */
const ligament = {
  /** All players of the page. */
  get elements(): PlayerElement[] {
    return [...document.querySelectorAll<PlayerElement>("ligament-player")];
  },
  /** The first player, after its first picture. */
  get ready(): Promise<Player> {
    return this.elements[0].ready;
  },
  /** The first player, or null while it loads. */
  get player(): Player | null {
    return this.elements[0]?.player ?? null;
  },
};

declare global {
  interface Window {
    ligament: typeof ligament;
  }
}

window.ligament = ligament;
customElements.define("ligament-curves", CurvesElement);
customElements.define("ligament-player", PlayerElement);
