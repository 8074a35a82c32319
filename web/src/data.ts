// Data of a page other than its glTF files. `ligament/viewer/page_data.py` writes it and documents
// every member; the names here are the same, which a test checks.

import type { Frame, Vector } from "./framing.ts";

/** Where an array lies in the page's floats: its start and its length. */
export type Span = [number, number];

export interface PageData {
  title: string;
  times: Span;
  takes: TakeData[];
  framing: FramingData;
  curves: SeriesData[];
}

export interface FramingData {
  center: number[];
  half_size: number[];
  direction: number[];
  points: number[];
  floor: number;
}

export interface TakeData {
  title: string;
  colour: string | null;
  shows_still: boolean;
  scene: number;
  animation: number | null;
  clips: number[];
  loops: boolean;
  moving: number[];
  layers: string[];
  objects: ObjectData[];
  energies: SeriesData[];
  events: EventData[];
  findings: FindingData[];
}

export interface ObjectData {
  node: number;
  name: string;
  kind: string;
  rows: [string, string][];
  series: SeriesData[];
}

export interface SeriesData {
  plot: string;
  name: string;
  unit: string;
  values: Span;
  minimum: Span | null;
  maximum: Span | null;
}

export interface EventData {
  time: number;
  type: string;
  nodes: number[];
  text: string;
}

export interface FindingData {
  code: string;
  severity: string;
  message: string;
  pointer: string;
  node: number | null;
}

/** The content of a page: its data, all arrays, and the files. */
export interface Source {
  data: PageData;
  floats: Float32Array;
  models: ArrayBuffer[];
}

/** Return the values of a span. */
export function values(floats: Float32Array, span: Span): Float32Array {
  return floats.subarray(span[0], span[0] + span[1]);
}

/** Return the initial framing, and the direction of the camera. */
export function framing(data: FramingData): [Frame, Vector] {
  const [center, halfSize, direction] = [data.center, data.half_size, data.direction] as unknown as Vector[];
  const points = Array.from({ length: data.points.length / 3 }, (_, i) => data.points.slice(3 * i, 3 * i + 3));
  return [{ center, halfSize, points: points as unknown as Vector[] }, direction];
}

/** Decode base64 and gzip. */
export async function unpack(text: string): Promise<ArrayBuffer> {
  const bytes = decodeBase64(text.trim());
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

interface Base64 {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}

/** Decode base64, natively if the browser can. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const quick = (Uint8Array as unknown as Base64).fromBase64;
  if (quick) return quick.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Read the data in an element: scripts of types that browsers do not run. */
export async function readSource(element: Element): Promise<Source> {
  const texts = (type: string): string[] =>
    [...element.querySelectorAll(`script[type="${type}"]`)].map((script) => script.textContent ?? "");
  const [json, arrays, ...models] = await Promise.all(
    ["application/json+gzip", "application/octet-stream+gzip", "model/gltf-binary+gzip"]
      .flatMap(texts)
      .map(unpack),
  );
  const data = JSON.parse(new TextDecoder().decode(json)) as PageData;
  return { data, floats: new Float32Array(arrays), models };
}
