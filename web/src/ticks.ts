// Round numbers on an axis, and numbers as text.

/** Return round values from `low` to `high`, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const step = roundStep((high - low) / Math.max(count, 1));
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((each) => each * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Format a number with at most `digits` significant digits. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-9) return "0";
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(+value.toPrecision(digits)).replace("-", "−");
}

/** Format a value in a unit: lengths below a centimetre in millimetres, degrees without a space. */
export function quantity(value: number, unit: string, digits = 4): string {
  if (unit === "m" && Math.abs(value) < 0.01) return `${number(Math.round(value * 1e6) / 1e3, digits)} mm`;
  if (unit.startsWith("°")) return number(Math.round(value * 1e4) / 1e4, digits) + unit;
  return `${number(value, digits)} ${unit}`;
}

/** Least width of a plot's range, by unit: below it a plot shows only noise. */
const LEAST: Record<string, number> = { m: 1e-3, "°": 0.1, "m/s": 1e-2, "°/s": 1, J: 1e-3 };

/** Return the range of all finite values, slightly widened. */
export function range(lists: Iterable<ArrayLike<number>>, unit = ""): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  if (low > high) return [0, 1];
  const lacking = Math.max(0, (LEAST[unit] ?? 0) - (high - low));
  if (lacking && low >= 0) high += lacking;
  else [low, high] = [low - lacking / 2, high + lacking / 2];
  const room = (high - low) * 0.06 || Math.max(Math.abs(high) * 0.1, 1e-6);
  return [low - room, high + room];
}
