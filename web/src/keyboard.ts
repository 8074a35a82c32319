// Keys, and the sheet that lists them.
import { element } from "./dom.ts";
import type { Player } from "./player.ts";
import { SPEEDS } from "./timeline.ts";

export interface Key {
  keys: string[];
  shown: string;
  text: string;
  act(event: KeyboardEvent): void;
}

/** Return all keys of a player. */
export function keysOf(player: Player): Key[] {
  const key = (shown: string, keys: string[], text: string, act: (event: KeyboardEvent) => void): Key => ({
    shown,
    keys,
    text,
    act,
  });
  const letter = (name: string, text: string, act: () => void): Key =>
    key(name, [name, name.toLowerCase()], text, act);
  const faster = (by: number) => (): void => {
    const place = SPEEDS.indexOf(player.clock.speed) + by;
    player.setSpeed(SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)]);
  };
  return [
    key("Space", [" "], "play or pause", () => player.toggle()),
    key("← →", ["ArrowLeft", "ArrowRight"], "one frame back or on; with Shift ten", (event) =>
      player.step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1)),
    ),
    key("Home", ["Home"], "to the start", () => player.seek(0)),
    key("End", ["End"], "to the end", () => player.seek(player.clock.end)),
    key("[", ["["], "slower", faster(-1)),
    key("]", ["]"], "faster", faster(1)),
    letter("L", "play over and over, or once", () => player.toggleLoop()),
    letter("F", "look at the selection", () => player.frameSelection()),
    letter("A", "look at everything", () => player.frameAll()),
    letter("N", "names on or off", () => player.toggleLayer("labels")),
    letter("G", "grid on or off", () => player.toggleLayer("grid")),
    letter("D", "dark or light", () => player.toggleTheme()),
    letter("C", "copy a link to this moment", () => void player.copyLink()),
    letter("P", "panel on or off", () => player.togglePanel()),
    key("Esc", ["Escape"], "select nothing", () => {
      player.toggleHelp(false);
      player.select(null);
    }),
    key("?", ["?"], "this list", () => player.toggleHelp()),
  ];
}

/** Return the action of a pressed key, unless something is being typed. */
export function actionOf(keys: Key[], event: KeyboardEvent): Key | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const target = event.composedPath()[0];
  if (target instanceof HTMLSelectElement) return undefined;
  if (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox") return undefined;
  return keys.find((key) => key.keys.includes(event.key));
}

/** Make the list of all keys. */
export function help(keys: Key[], close: () => void): HTMLElement {
  const sheet = element("dialog", "help");
  const table = element("table", "");
  const rows = [
    ["drag", "turn the view"],
    ["wheel, pinch", "zoom"],
    ["right drag, two fingers", "move the view"],
    ["click", "select a body or a joint"],
    ...keys.map((key) => [key.shown, key.text]),
  ];
  for (const [shown, text] of rows) {
    const row = table.insertRow();
    row.insertCell().append(element("kbd", "", shown));
    row.insertCell().textContent = text;
  }
  sheet.append(element("h2", "", "Keys and pointer"), table);
  sheet.addEventListener("click", close);
  return sheet;
}
