// The fragment of the page's address: time, camera, selection and layers.

export interface Link {
  time?: number;
  camera?: number[];
  selection?: [number, number];
  layers?: string[];
  theme?: string;
}

const DIGITS = 5;

/** Write a link as the fragment of an address. */
export function writeLink(link: Link): string {
  const parts = new URLSearchParams();
  if (link.time !== undefined) parts.set("t", String(+link.time.toFixed(4)));
  if (link.camera) parts.set("view", link.camera.map((x) => String(+x.toPrecision(DIGITS))).join(","));
  if (link.selection) parts.set("select", link.selection.join("."));
  if (link.layers) parts.set("layers", link.layers.join(","));
  if (link.theme) parts.set("theme", link.theme);
  return parts.toString().replaceAll("%2C", ",");
}

/** Read a fragment; malformed parts are ignored. */
export function readLink(fragment: string): Link {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const link: Link = {};
  const time = Number(parts.get("t") ?? NaN);
  if (Number.isFinite(time)) link.time = time;
  const camera = numbers(parts.get("view"), ",");
  if (camera?.length === 6) link.camera = camera;
  const selection = numbers(parts.get("select"), ".");
  if (selection?.length === 2 && selection.every(Number.isInteger)) link.selection = [selection[0], selection[1]];
  const layers = parts.get("layers");
  if (layers !== null) link.layers = layers ? layers.split(",") : [];
  const theme = parts.get("theme");
  if (theme === "dark" || theme === "light") link.theme = theme;
  return link;
}

function numbers(text: string | null, separator: string): number[] | undefined {
  if (!text) return undefined;
  const found = text.split(separator).map(Number);
  return found.every(Number.isFinite) ? found : undefined;
}
