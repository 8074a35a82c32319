// The ground: an infinite grid, and the shadows on it.
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";

export interface GroundLook {
  line: string;
  section: string;
  /** How dark a shadow is, 0 to 1. */
  shadow: number;
}

/** Reach of the plane, in radii of the scene; the grid has faded long before. */
const REACH = 40;

/** Cells between two major lines. */
const SECTION = 10;

const VERTEX = /* glsl */ `
  varying vec2 place;
  #include <common>
  #include <logdepthbuf_pars_vertex>
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xz;
    gl_Position = projectionMatrix * viewMatrix * world;
    #include <logdepthbuf_vertex>
  }`;

const FRAGMENT = /* glsl */ `
  uniform vec3 line, section;
  uniform vec2 middle;
  uniform float cell, size;
  varying vec2 place;
  #include <common>
  #include <logdepthbuf_pars_fragment>
  // How much of a pixel lies on a line of the grid; lines that are closer than pixels fade.
  float lines(float spacing, float width) {
    vec2 at = (place - middle) / spacing;
    vec2 pixel = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5);
    vec2 on = 1.0 - smoothstep(vec2(0.0), pixel * width, near);
    on *= 1.0 - smoothstep(0.15, 0.5, pixel);
    return max(on.x, on.y);
  }
  void main() {
    #include <logdepthbuf_fragment>
    float fine = lines(cell, 1.1);
    float coarse = lines(cell * ${SECTION.toFixed(1)}, 1.4);
    float fade = 1.0 - smoothstep(1.2, 5.0, distance(place, middle) / size);
    float strength = max(fine * 0.75, coarse) * fade;
    if (strength < 0.004) discard;
    gl_FragColor = vec4(mix(line, section, coarse), strength);
    #include <colorspace_fragment>
  }`;

export class Ground {
  readonly root = new Group();
  #grid = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    uniforms: {
      line: { value: new Color() },
      section: { value: new Color() },
      middle: { value: [0, 0] },
      cell: { value: 1 },
      size: { value: 1 },
    },
  });
  #shadow = new ShadowMaterial({ depthWrite: false });
  #plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);

  constructor() {
    const [grid, shadow] = [new Mesh(this.#plane, this.#grid), new Mesh(this.#plane, this.#shadow)];
    shadow.receiveShadow = true;
    shadow.renderOrder = -2;
    grid.renderOrder = -1;
    grid.raycast = shadow.raycast = (): void => {};
    this.root.add(shadow, grid);
  }

  /** Place the grid below a scene of a size centred at (x, z); the line spacing is a power of ten. */
  place(x: number, y: number, z: number, size: number): void {
    const cell = 10 ** Math.round(Math.log10(size / 2));
    const { uniforms } = this.#grid;
    uniforms.middle.value = [Math.round(x / cell) * cell, Math.round(z / cell) * cell];
    uniforms.cell.value = cell;
    uniforms.size.value = size;
    this.root.position.set(x, y, z);
    this.root.scale.set(REACH * size, 1, REACH * size);
  }

  set look(look: GroundLook) {
    this.#grid.uniforms.line.value.set(look.line);
    this.#grid.uniforms.section.value.set(look.section);
    this.#shadow.opacity = look.shadow;
  }

  dispose(): void {
    this.#plane.dispose();
    this.#grid.dispose();
    this.#shadow.dispose();
  }
}
