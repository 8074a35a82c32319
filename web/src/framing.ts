// Where a camera must stand so that what is to be seen fills the picture.

export type Vector = readonly [number, number, number];

/** A box, and the outermost points of what is in it. */
export interface Frame {
  center: Vector;
  halfSize: Vector;
  points: readonly Vector[];
}

/** Room around the points, relative to their size in the picture. */
export const MARGIN = 1.12;

/** Return where a camera sees all points of a frame from as near as can be, looking against `direction`.
 *
 * `fieldOfView` is vertical [rad]. What is seen reaches as far to the left as to the right, and as
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
  return [0, 1, 2].map((i) => across.middle * right[i] + along.middle * up[i] + away * back[i]) as unknown as Vector;
}

/** Return where a camera of a slope stands along an axis, and how far back. */
function span(points: readonly Vector[], axis: Vector, back: Vector, slope: number): { middle: number; away: number } {
  let [above, below] = [-Infinity, -Infinity];
  for (const point of points) {
    const [x, z] = [dot(point, axis), slope * dot(point, back)];
    above = Math.max(above, x + z);
    below = Math.max(below, z - x);
  }
  return { middle: (above - below) / 2, away: (above + below) / (2 * slope) };
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
