// What part of the layout is seen: how units become pixels, and how that changes by dragging and zooming.
import type { Layout, Range } from "./layout.ts";

/** A place in pixels is `x * scaleX + left` and `top - y * scaleY`. */
export interface Camera {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Room in pixels for the figures at the axes. */
export const margins = { left: 92, right: 14, top: 12, bottom: 28 } as const;
const zoomMax = 400;
const zoomMin = 0.4;

/** All is seen. */
export function fit({ bounds }: Layout, { width, height }: Size): Camera {
  const scaleX = Math.max(1, width - margins.left - margins.right) / (bounds.right - bounds.left);
  const scaleY = Math.max(1, height - margins.top - margins.bottom) / (bounds.top - bounds.bottom);
  return {
    scaleX,
    scaleY,
    left: margins.left - bounds.left * scaleX,
    top: margins.top + bounds.top * scaleY,
  };
}

export function pan(camera: Camera, x: number, y: number): Camera {
  return { ...camera, left: camera.left + x, top: camera.top + y };
}

/** What is at the pixel stays there. */
export function zoom(
  camera: Camera,
  {
    factor,
    x,
    y,
    whole,
  }: { readonly factor: number; readonly x: number; readonly y: number; readonly whole: Camera },
): Camera {
  const now = camera.scaleX / whole.scaleX;
  const by = Math.min(zoomMax, Math.max(zoomMin, now * factor)) / now;
  return {
    scaleX: camera.scaleX * by,
    scaleY: camera.scaleY * by,
    left: x - (x - camera.left) * by,
    top: y - (y - camera.top) * by,
  };
}

/** The place is in the middle. */
export function centred(camera: Camera, at: { readonly x: number; readonly y: number }, size: Size): Camera {
  return {
    ...camera,
    left: (size.width + margins.left) / 2 - at.x * camera.scaleX,
    top: (size.height - margins.bottom) / 2 + at.y * camera.scaleY,
  };
}

/** The same, moved only as far as needed for the place to be seen. */
export function revealing(
  camera: Camera,
  at: { readonly x: number; readonly y: number },
  size: Size,
): Camera {
  const room = 30;
  const [x, y] = [at.x * camera.scaleX + camera.left, camera.top - at.y * camera.scaleY];
  const isSeen =
    x >= margins.left + room &&
    x <= size.width - room &&
    y >= margins.top &&
    y <= size.height - margins.bottom - 4;
  return isSeen ? camera : centred(camera, at, size);
}

/** The range of scores has changed: the same scores stay at the same pixels. Null where up and down have changed places. */
export function keepingScores(camera: Camera, before: Range, after: Range): Camera | null {
  const height = before.best - before.worst;
  const stretch = (after.best - after.worst) / height;
  if (!(stretch > 0)) return null;
  return {
    ...camera,
    scaleY: camera.scaleY * stretch,
    top: camera.top - ((after.worst - before.worst) / height) * camera.scaleY,
  };
}
