// Input: clicks on the picture, and keys.
import { actionOf, type Key } from "./keyboard.ts";

/** Pixels that a pointer may move in a click. */
const CLICK = 5;

/** Call back on clicks of the main button that do not drag. */
export function onClick(canvas: HTMLElement, act: (event: PointerEvent) => void): void {
  let start: [number, number] | null = null;
  canvas.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    const isClick = start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < CLICK;
    start = null;
    if (isClick && event.button === 0) act(event);
  });
}

/** Perform the actions of pressed keys. Return a function that stops listening. */
export function onKeys(target: EventTarget, keys: Key[]): () => void {
  const press = (event: Event): void => {
    const key = actionOf(keys, event as KeyboardEvent);
    if (!key) return;
    event.preventDefault();
    key.act(event as KeyboardEvent);
  };
  target.addEventListener("keydown", press);
  return () => target.removeEventListener("keydown", press);
}
