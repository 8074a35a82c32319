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

/** Make a button with a sign, what it does in words, and its key. */
export function button(sign: string, label: string, act: () => void): HTMLButtonElement {
  const made = element("button", "", sign);
  made.type = "button";
  made.title = label;
  made.setAttribute("aria-label", label.replace(/ \(.*\)$/, ""));
  made.addEventListener("click", act);
  return made;
}
