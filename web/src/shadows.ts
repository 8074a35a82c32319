// Soft shadows: more samples of three's own filter, whose five leave grain where a shadow is wide.
import { ShaderChunk } from "three";

const SAMPLES = 14;

/** The five samples of three's filter, which are added up in one expression. */
const FIVE = /shadow = \(\s*(texture\( shadowMap, vec3\( shadowCoord\.xy \+ vogelDiskSample\( \d, 5, phi \).*?\)\s*\+?\s*){5}\) \* 0\.2;/s;

const MANY = `
  shadow = 0.0;
  for ( int i = 0; i < ${SAMPLES}; i ++ )
    shadow += texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( i, ${SAMPLES}, phi ) * radius, shadowCoord.z ) );
  shadow /= ${SAMPLES.toFixed(1)};`;

/** Have all shadows filtered finely; where three's filter is another one, it stays. */
export function softenShadows(): void {
  ShaderChunk.shadowmap_pars_fragment = softened(ShaderChunk.shadowmap_pars_fragment);
}

export function softened(chunk: string): string {
  return chunk.replace(FIVE, MANY);
}
