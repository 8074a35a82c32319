// Where a camera must stand so that a box fills the picture.

export type Vector = readonly [number, number, number];

export interface Frame {
  center: Vector;
  halfSize: Vector;
}

/** Room around the box, relative to its size in the picture. */
export const MARGIN = 1.08;

/** Return how far from the centre a camera sees the whole box, looking against `direction`.
 *
 * `fieldOfView` is vertical [rad]. Each corner must be inside the pyramid of view: its distance from
 * the axis, over the slope of that side, and how much nearer to the camera than the centre it is.
 */
export function fitDistance(frame: Frame, direction: Vector, fieldOfView: number, aspect: number): number {
  const back = normalized(direction);
  const right = normalized(Math.abs(back[1]) > 0.999 ? [1, 0, 0] : cross([0, 1, 0], back));
  const up = cross(back, right);
  const tall = Math.tan(fieldOfView / 2) / MARGIN;
  const wide = tall * aspect;
  let distance = 0;
  for (const corner of corners(frame.halfSize)) {
    const nearer = dot(corner, back);
    const needed = Math.max(Math.abs(dot(corner, right)) / wide, Math.abs(dot(corner, up)) / tall);
    distance = Math.max(distance, needed + nearer);
  }
  return distance || 1;
}

/** Return the radius of a box. */
export function radius(frame: Frame): number {
  return Math.hypot(...frame.halfSize);
}

function corners([x, y, z]: Vector): Vector[] {
  const found: Vector[] = [];
  for (const i of [-1, 1]) for (const j of [-1, 1]) for (const k of [-1, 1]) found.push([i * x, j * y, k * z]);
  return found;
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalized(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}
