// Keys, and the page that lists them.
import { element } from "./dom.ts";

export interface Key {
  keys: string[];
  shown: string;
  text: string;
  act(event: KeyboardEvent): void;
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
