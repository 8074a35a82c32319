// The colour of a take in a comparison: striped with the other's where both are in the same place.
import { MeshStandardMaterial } from "three";

/** Width of a stripe [pixels]. */
const WIDTH = 7;

/** Make the material of a take's colour.
 *
 * One that is `striped` is drawn a little nearer than it is in every other stripe, and a little
 * farther in the rest: objects within `reach` [m] of it show between the stripes.
 */
export function takeMaterial(colour: string, striped: boolean, reach: number): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ color: colour, roughness: 0.55 });
  if (!striped) return material;
  material.onBeforeCompile = (shader): void => {
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nuniform mat4 projectionMatrix;")
      .replace("#include <logdepthbuf_fragment>", nearerInStripes(reach));
  };
  return material;
}

/** Return the code that moves a fragment towards the camera or away from it, by stripes. */
function nearerInStripes(reach: number): string {
  return `
    float stripe = step(0.5, fract((gl_FragCoord.x + gl_FragCoord.y) / ${(2 * WIDTH).toFixed(1)})) * 2.0 - 1.0;
    float slope = -0.5 * projectionMatrix[3][2] / (vViewPosition.z * vViewPosition.z);
    gl_FragDepth = clamp(gl_FragCoord.z + stripe * slope * ${reach.toExponential(6)}, 0.0, 1.0);`;
}
