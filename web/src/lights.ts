// Lights: a key light if the file has none, and shadows from the strongest light.
import { DirectionalLight, Matrix4, PointLight, SpotLight, Vector3, type Light } from "three";
import { radius, type Frame } from "./framing.ts";

const SHADOW_PIXELS = 2048;

/** Size [pixels] of each of the six shadow maps of a point light. */
const CUBE_PIXELS = 1024;

/** How far shadows reach, in radii of the scene. */
const REACH = 1.7;

/** Softness of shadows [pixels of their map]. */
const SOFTNESS = 5;

const FROM = new Vector3(0.5, 1, 0.35).normalize();

/** A light that casts shadows. */
type Caster = DirectionalLight | PointLight | SpotLight;

/** Make the key light, from above and the right. */
export function makeKeyLight(): DirectionalLight {
  const key = new DirectionalLight("white", 2.2);
  castShadow(key);
  return key;
}

/** Return the strongest of some lights that can cast shadows, at the distance of a frame. */
export function strongest(lights: Light[], frame: Frame): Caster | null {
  const middle = new Vector3(...frame.center);
  const strength = (light: Caster): number => {
    if (light instanceof DirectionalLight) return light.intensity;
    const away = light.getWorldPosition(new Vector3()).distanceTo(middle);
    return light.intensity / Math.max(away, 0.1 * radius(frame)) ** 2;
  };
  const casters = lights.filter(isCaster).sort((a, b) => strength(b) - strength(a));
  return casters[0] ?? null;
}

function isCaster(light: Light): light is Caster {
  return light instanceof DirectionalLight || light instanceof PointLight || light instanceof SpotLight;
}

export function castShadow(light: Caster): void {
  light.castShadow = true;
  const pixels = light instanceof PointLight ? CUBE_PIXELS : SHADOW_PIXELS;
  light.shadow.mapSize.set(pixels, pixels);
  light.shadow.radius = light instanceof PointLight ? 2 : SOFTNESS;
}

/** Aim the key light at a frame. */
export function aimKeyLight(key: DirectionalLight, frame: Frame): void {
  key.target.position.set(...frame.center);
  key.position.copy(key.target.position).addScaledVector(FROM, 6 * (radius(frame) || 1));
}

/** Fit the shadow map of a light to a frame. */
export function fitShadow(light: Caster, frame: Frame): void {
  const size = radius(frame) || 1;
  const { shadow } = light;
  shadow.bias = -0.0005;
  shadow.normalBias = 0.004 * size;
  const camera = shadow.camera;
  if (light instanceof DirectionalLight) {
    light.updateWorldMatrix(true, true);
    const [from, to] = [light, light.target].map((each) => new Vector3().setFromMatrixPosition(each.matrixWorld));
    const seen = new Matrix4().lookAt(from, to, light.up).setPosition(from).invert();
    const at = new Vector3(...frame.center).applyMatrix4(seen);
    const reach = REACH * size;
    Object.assign(camera, { left: at.x - reach, right: at.x + reach, bottom: at.y - reach, top: at.y + reach });
    camera.near = -at.z - 8 * size;
    camera.far = -at.z + 8 * size;
  } else {
    camera.near = 0.02 * size;
    camera.far = 60 * size;
  }
  camera.updateProjectionMatrix();
}
