// Keyframe playback: samples tracks at any time, in any order, without a mixer.
import { PropertyBinding } from "three";
import type { AnimationClip, KeyframeTrack, Object3D, Quaternion, Vector3 } from "three";

type Mover = (time: number) => void;

interface Sampled {
  evaluate(time: number): ArrayLike<number>;
}

export class Motion {
  #movers: Mover[] = [];
  #objects = new Map<string, Object3D>();

  constructor(root: Object3D) {
    root.traverse((object) => {
      this.#objects.set(object.uuid, object);
      if (object.name && !this.#objects.has(object.name)) this.#objects.set(object.name, object);
    });
  }

  /** Play the tracks of a clip that `isPlayed` accepts, repeatedly if it `loops`. */
  add(clip: AnimationClip, isPlayed: (property: string) => boolean, loops = false): void {
    const duration = clip.duration;
    for (const track of clip.tracks) {
      const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
      const object = this.#objects.get(nodeName);
      if (!object || !isPlayed(propertyName)) continue;
      const move = mover(object, propertyName, sampled(track));
      if (!move) continue;
      this.#movers.push(loops && duration > 0 ? (time) => move(time % duration) : move);
    }
  }

  /** Pose all objects at a time [s]. */
  pose(time: number): void {
    for (const move of this.#movers) move(time);
  }
}

export const WEIGHTS = "morphTargetInfluences";

function sampled(track: KeyframeTrack): Sampled {
  // The type definitions omit this factory, which every track has for its interpolation.
  return (track as unknown as { createInterpolant(): Sampled }).createInterpolant();
}

function mover(object: Object3D, property: string, track: Sampled): Mover | undefined {
  if (property === "position" || property === "scale") {
    const vector: Vector3 = object[property];
    return (time) => void vector.fromArray(track.evaluate(time) as number[]);
  }
  if (property === "quaternion") {
    const rotation: Quaternion = object.quaternion;
    return (time) => void rotation.fromArray(track.evaluate(time) as number[]);
  }
  const weights = (object as { morphTargetInfluences?: number[] }).morphTargetInfluences;
  if (property !== WEIGHTS || !weights) return undefined;
  return (time) => {
    const found = track.evaluate(time);
    for (let i = 0; i < weights.length; i++) weights[i] = found[i];
  };
}
