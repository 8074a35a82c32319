// Camera position from which a box fills the picture.

export type Vector = readonly [number, number, number];

/** A box, and the outermost points of its content. */
export interface Frame {
  center: Vector;
  halfSize: Vector;
  points: readonly Vector[];
}

/** Room around the points, relative to their size in the picture. */
export const MARGIN = 1.12;

/** Bisection steps for the position of a camera. */
const BISECTIONS = 24;

/** Return the nearest camera position that shows all points of a frame, looking against `direction`.
 *
 * `fieldOfView` is vertical [rad]. The content reaches as far to the left as to the right, and as
 * far up as down. A camera at (x, z) sees a point between its two sides if x + slope z and
 * -x + slope z are greater than the same of the point.
 */
export function fitEye(frame: Frame, direction: Vector, fieldOfView: number, aspect: number): Vector {
  const back = normalized(direction);
  const right = normalized(Math.abs(back[1]) > 0.999 ? [1, 0, 0] : cross([0, 1, 0], back));
  const up = cross(back, right);
  const tall = Math.tan(fieldOfView / 2) / MARGIN;
  const across = span(frame.points, right, back, tall * aspect);
  const along = span(frame.points, up, back, tall);
  const nearest = Math.max(...frame.points.map((point) => dot(point, back)));
  const least = nearest + (1e-3 * radius(frame) || 1);
  const away = Math.max(across.away, along.away, least);
  const [x, y] = [across.middle(away), along.middle(away)];
  return [0, 1, 2].map((i) => x * right[i] + y * up[i] + away * back[i]) as unknown as Vector;
}

interface Span {
  /** Distance from which a camera sees all points. */
  away: number;
  /** Position at a larger distance that centres the points. */
  middle(away: number): number;
}

/** Return the position of a camera along an axis, for the slope of its field of view. */
function span(points: readonly Vector[], axis: Vector, back: Vector, slope: number): Span {
  const places = points.map((point) => [dot(point, axis), dot(point, back)]);
  const above = Math.max(...places.map(([x, z]) => x + slope * z));
  const below = Math.max(...places.map(([x, z]) => slope * z - x));
  const middle = (away: number): number => {
    let [low, high] = [above - slope * away, slope * away - below]; // all points are visible between these
    for (let i = 0; i < BISECTIONS; i++) {
      const half = (low + high) / 2;
      const seen = places.map(([x, z]) => (x - half) / (away - z));
      if (Math.max(...seen) + Math.min(...seen) > 0) low = half;
      else high = half;
    }
    return (low + high) / 2;
  };
  return { away: (above + below) / (2 * slope), middle };
}

/** Return the frame of a box. */
export function boxFrame(center: Vector, halfSize: Vector): Frame {
  const points: Vector[] = [];
  for (const i of [-1, 1])
    for (const j of [-1, 1])
      for (const k of [-1, 1])
        points.push([center[0] + i * halfSize[0], center[1] + j * halfSize[1], center[2] + k * halfSize[2]]);
  return { center, halfSize, points };
}

/** Return the radius of a frame's box. */
export function radius(frame: Frame): number {
  return Math.hypot(...frame.halfSize);
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalized(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}
