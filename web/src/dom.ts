// Elements made in code: text is always text, never markup.

/** Make an element with a class and a text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Paths of icons, in a 16 by 16 square. */
const SIGNS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 3v10L6 8zM3.5 3H5v10H3.5z",
  on: "M4 3v10l6-5zM11 3h1.5v10H11z",
  loop: "M8 3a5 5 0 1 0 5 5h-1.6A3.4 3.4 0 1 1 8 4.6V7l3.6-3.2L8 .6z",
  frame: "M2 2h4v1.6H3.6V6H2zM10 2h4v4h-1.6V3.6H10zM2 10h1.6v2.4H6V14H2zM12.4 10H14v4h-4v-1.6h2.4zM6 6h4v4H6z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM8 3.1v9.8a4.9 4.9 0 0 0 0-9.8z",
  link: "M6.5 10.6 5.3 11.8a2 2 0 0 1-2.9-2.9L5 6.3a2 2 0 0 1 2.9 0l1.1-1.1a3.6 3.6 0 0 0-5.1 0L1.3 7.8a3.6 3.6 0 0 0 5.1 5.1l1.2-1.2zM9.5 5.4l1.2-1.2a2 2 0 0 1 2.9 2.9L11 9.7a2 2 0 0 1-2.9 0L7 10.8a3.6 3.6 0 0 0 5.1 0l2.6-2.6a3.6 3.6 0 0 0-5.1-5.1L8.4 4.3z",
  keys: "M6 5.5a2 2 0 1 1 3 1.7c-1 .6-1.8 1.1-1.8 2.8h1.6c0-.9.3-1 1-1.4A3.6 3.6 0 1 0 4.4 5.5zM7.2 11.3h1.7V13H7.2z",
  panel: "M2 3h12v1.6H2zM2 7.2h12v1.6H2zM2 11.4h12V13H2z",
};

export type Sign = keyof typeof SIGNS;

/** Make a button with an icon and a label, with its key in brackets. */
export function button(sign: Sign | null, label: string, act: () => void): HTMLButtonElement {
  const made = element("button", "");
  made.type = "button";
  if (sign) showSign(made, sign, label);
  else made.title = label;
  made.addEventListener("click", act);
  return made;
}

/** Give a button another icon and label. */
export function showSign(made: HTMLButtonElement, sign: Sign, label: string): void {
  if (made.title === label) return;
  made.title = label;
  made.setAttribute("aria-label", label.replace(/ \(.*\)$/, ""));
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "0 0 16 16");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", SIGNS[sign]);
  picture.append(path);
  made.replaceChildren(picture);
}
