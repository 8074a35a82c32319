// The stage: renderer, camera, light, shadow and ground around a scene.
import {
  type Box3,
  BoxGeometry,
  Camera,
  CanvasTexture,
  Color,
  CubeCamera,
  HalfFloatType,
  LinearMipmapLinearFilter,
  Mesh,
  MeshBasicMaterial,
  NeutralToneMapping,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  SRGBColorSpace,
  SphereGeometry,
  BackSide,
  Vector3,
  WebGLCubeRenderTarget,
  WebGLRenderer,
  type Light,
  type Texture,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { boxFrame, dot, fitEye, normalized, radius, type Frame, type Vector } from "./framing.ts";
import { Ground, type GroundLook } from "./ground.ts";
import { aimKeyLight, castShadow, fitShadow, makeKeyLight, strongest } from "./lights.ts";
import { softenShadows } from "./shadows.ts";

softenShadows();

const FIELD_OF_VIEW = 40;
const AMBIENT = 0.75;

/** Strength of the lamps where rough surfaces see one side of the environment alone, not half of it. */
const DIMMED = 0.3;

/** Number of three's layer of all meshes except overlays, which are on the same nodes. */
export const MESH_LAYER = 1;

export type Theme = "light" | "dark";

/** The backdrop from its middle to its corners, and the ground on it. */
interface Look extends GroundLook {
  backdrop: [string, string];
  exposure: number;
}

const LOOKS: Record<Theme, Look> = {
  light: { backdrop: ["#fafbfc", "#d9dfe7"], line: "#c2cad5", section: "#a3aebd", shadow: 0.34, exposure: 1 },
  dark: { backdrop: ["#2b303a", "#101216"], line: "#3c4450", section: "#596474", shadow: 0.62, exposure: 0.8 },
};

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  /** Whether meshes are drawn. The camera's layers decide: hiding a node would hide its children. */
  readonly meshes = { visible: true };
  /** The active camera of the file, or null. */
  fixed: Camera | null = null;
  #key = makeKeyLight();
  #lights: Light[] = [];
  #frame: Frame = boxFrame([0, 0, 0], [1, 1, 1]);
  #direction: Vector = [0.55, 0.42, 1];
  /** Margins of the picture that framing keeps free: a fraction on its left, 0 to 1, and pixels at its top. */
  #free = { left: 0, top: 0 };
  #theme: Theme = "light";

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.environment = makeEnvironment(this.renderer);
    this.scene.add(this.#key, this.#key.target, this.ground.root);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
  }

  /** Light the scene with the file's own lights, if any, and then with less of ours. */
  useLights(lights: Light[]): void {
    this.#lights = lights;
    this.#key.visible = lights.length === 0;
    this.scene.environmentIntensity = lights.length === 0 ? AMBIENT : AMBIENT / 2;
  }

  get theme(): Theme {
    return this.#theme;
  }

  set theme(theme: Theme) {
    this.#theme = theme;
    const before = this.scene.background;
    if (before instanceof CanvasTexture) before.dispose();
    this.scene.background = backdrop(...LOOKS[theme].backdrop);
    this.ground.look = LOOKS[theme];
    this.renderer.toneMappingExposure = LOOKS[theme].exposure;
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.renderer.setPixelRatio(pixelRatio);
    this.renderer.setSize(width, height, false);
    // Framing only uses the part of the picture inside the margins.
    const { left, top } = this.#free;
    const [wide, tall] = [width * (1 - left), Math.max(height - top, height / 2)];
    this.camera.aspect = wide / Math.max(tall, 1);
    if (left || top) this.camera.setViewOffset(wide, tall, wide - width, tall - height, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
  }

  /** Set the margins of the picture: a fraction on its left, 0 to 1, and pixels at its top. */
  leaveFree(left: number, top: number): void {
    this.#free = { left: Math.min(Math.max(left, 0), 0.8), top };
  }

  /** Set the initial framing, and scale light, shadow and ground to it. */
  setFrame(frame: Frame, direction: Vector, floor: number): void {
    this.#frame = frame;
    this.#direction = direction;
    const size = radius(frame) || 1;
    const [x, , z] = frame.center;
    aimKeyLight(this.#key, frame);
    const caster = this.#key.visible ? this.#key : strongest(this.#lights, frame);
    if (caster) {
      castShadow(caster);
      fitShadow(caster, frame);
    }
    this.controls.maxDistance = 200 * size;
    this.controls.minDistance = 0.01 * size;
    this.camera.near = size / 500;
    this.camera.far = size * 500;
    this.camera.updateProjectionMatrix();
    this.ground.place(x, floor - 0.002 * size, z, size);
  }

  /** Look at the whole frame. */
  frameAll(): void {
    this.frameOn(this.#frame, this.#direction);
  }

  /** Look at the whole frame from another side. */
  frameFrom(direction: Vector): void {
    this.frameOn(this.#frame, direction);
  }

  /** Look at a box, from a direction or from the camera's current one. */
  frameOn(frame: Frame, direction?: Vector): void {
    this.fixed = null;
    this.controls.enabled = true;
    const from = direction ?? (this.camera.position.clone().sub(this.controls.target).toArray() as Vector);
    const back = normalized(from);
    const eye = fitEye(frame, from, (this.camera.fov * Math.PI) / 180, this.camera.aspect);
    const away = Math.max(dot(eye, back) - dot(frame.center, back), 1e-6);
    this.camera.position.set(...eye);
    this.controls.target.set(...eye).addScaledVector(new Vector3(...back), -away); // as far away as the box
    this.controls.update();
  }

  /** Look at a box in the world, from the camera's current direction. */
  frameBox(box: Box3): void {
    if (box.isEmpty()) return;
    const half = box.getSize(new Vector3()).divideScalar(2);
    half.addScalar(Math.max(0.15 * half.length(), 0.02 * radius(this.#frame)));
    const center = box.getCenter(new Vector3());
    this.frameOn(boxFrame(center.toArray() as Vector, half.toArray() as Vector));
  }

  /** The camera's position and target, in the form of a link. */
  get view(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  set view(numbers: number[]) {
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
  }

  /** The active camera. */
  get eye(): Camera {
    return this.fixed ?? this.camera;
  }

  render(): void {
    const eye = this.eye;
    if (eye instanceof PerspectiveCamera && eye !== this.camera) {
      eye.aspect = this.camera.aspect;
      eye.updateProjectionMatrix();
    } else if (eye instanceof OrthographicCamera) {
      eye.right = eye.top * this.camera.aspect;
      eye.left = -eye.right;
      eye.updateProjectionMatrix();
    }
    if (this.meshes.visible) eye.layers.enable(MESH_LAYER);
    else eye.layers.disable(MESH_LAYER);
    this.renderer.render(this.scene, eye);
  }

  dispose(): void {
    this.controls.dispose();
    this.ground.dispose();
    this.scene.environment?.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** Make a backdrop that is bright in its middle. */
function backdrop(middle: string, corner: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d");
  if (pen) {
    const glow = pen.createRadialGradient(128, 112, 0, 128, 112, 190);
    glow.addColorStop(0, middle);
    glow.addColorStop(1, corner);
    pen.fillStyle = glow;
    pen.fillRect(0, 0, 256, 256);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** Make the environment map: a bright sky, a darker ground, and a few lamps to be reflected. */
function makeEnvironment(renderer: WebGLRenderer): Texture {
  const sky = new Scene();
  const inSoftware = isSoftware(renderer);
  const glow = inSoftware ? DIMMED : 1;
  const room = new Mesh(new SphereGeometry(10, 16, 8), new MeshBasicMaterial({ color: "#a3abb8", side: BackSide }));
  const floor = lamp("#6b665f", 1, [16, 0.1, 16], [0, -5, 0]);
  sky.add(
    room,
    floor,
    lamp("#ffffff", 4 * glow, [5, 0.1, 5], [0, 7, 0]),
    lamp("#fff4e6", 2.2 * glow, [0.1, 4, 4], [8, 2, 2]),
    lamp("#e3edff", 2.2 * glow, [4, 4, 0.1], [-3, 2, -8]),
    lamp("#ffffff", 2 * glow, [4, 3, 0.1], [2, 1, 8]),
  );
  if (inSoftware) return coarse(renderer, sky);
  const maker = new PMREMGenerator(renderer);
  const texture = maker.fromScene(sky, 0.04).texture;
  maker.dispose();
  return texture;
}

/** Make a small environment whose rough levels are plain averages: the exact ones take half a minute. */
function coarse(renderer: WebGLRenderer, sky: Scene): Texture {
  const sizes = [32, 16, 8, 4];
  const target = new WebGLCubeRenderTarget(sizes[0], {
    generateMipmaps: true,
    minFilter: LinearMipmapLinearFilter,
    type: HalfFloatType,
  });
  new CubeCamera(0.1, 100, target).update(renderer, sky);
  const { texture } = target;
  texture.mipmaps = sizes.map((width) => ({ width, height: width })) as unknown as typeof texture.mipmaps;
  return Object.assign(texture, { isPMREMTexture: true });
}

function lamp(colour: string, strength: number, size: Vector, at: Vector): Mesh {
  const material = new MeshBasicMaterial({ color: new Color(colour).multiplyScalar(strength) });
  const mesh = new Mesh(new BoxGeometry(...size), material);
  mesh.position.set(...at);
  return mesh;
}

/** Return whether the browser draws without a GPU. */
function isSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  return /swiftshader|llvmpipe|software/i.test(String(name));
}
