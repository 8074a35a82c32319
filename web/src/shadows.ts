// Soft shadows: more samples in three's filter, whose five leave grain in wide penumbras.
import { ShaderChunk } from "three";

const SAMPLES = 14;

/** The five samples of three's filter, which are added up in one expression. */
const FIVE = /shadow = \(\s*(texture\( shadowMap, vec3\( shadowCoord\.xy \+ vogelDiskSample\( \d, 5, phi \).*?\)\s*\+?\s*){5}\) \* 0\.2;/s;

const MANY = `
  shadow = 0.0;
  for ( int i = 0; i < ${SAMPLES}; i ++ )
    shadow += texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( i, ${SAMPLES}, phi ) * radius, shadowCoord.z ) );
  shadow /= ${SAMPLES.toFixed(1)};`;

/** Refine the filter of all shadows; leave it unchanged if three's source differs. */
export function softenShadows(): void {
  ShaderChunk.shadowmap_pars_fragment = softened(ShaderChunk.shadowmap_pars_fragment);
}

export function softened(chunk: string): string {
  return chunk.replace(FIVE, MANY);
}
