// Thousands of small pictures put onto one larger one, pixel by pixel: a browser without a graphics card takes ten times as long to
// draw them one by one.

/** The pixels of a small picture that are not transparent: where they lie around its middle, and their colours. */
export interface Stamp {
  readonly dx: Int16Array;
  readonly dy: Int16Array;
  /** Red, green, blue and opacity in the order of bytes of an image. */
  readonly rgba: Uint8ClampedArray;
  /** The same, a pixel each. */
  readonly cells: Uint32Array;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
  readonly cells: Uint32Array;
}

/** A picture of these bytes, four per pixel. */
export function pictureOf(width: number, height: number, rgba: Uint8ClampedArray): Picture {
  return { width, height, rgba, cells: new Uint32Array(rgba.buffer, rgba.byteOffset, width * height) };
}

/** Of a small picture. */
export function stampOf({ width, height, rgba }: Picture): Stamp {
  const pixels: number[] = [];
  for (let pixel = 0; pixel < width * height; pixel++) if ((rgba[pixel * 4 + 3] ?? 0) > 0) pixels.push(pixel);
  const own = Uint8ClampedArray.from(pixels.flatMap((pixel) => [...rgba.subarray(pixel * 4, pixel * 4 + 4)]));
  return {
    dx: Int16Array.from(pixels, (pixel) => (pixel % width) - (width >> 1)),
    dy: Int16Array.from(pixels, (pixel) => Math.floor(pixel / width) - (height >> 1)),
    rgba: own,
    cells: new Uint32Array(own.buffer),
  };
}

/** Puts a stamp with its middle at this place; what lies outside of the picture is left out. */
export function putStamp(
  picture: Picture,
  stamp: Stamp,
  { x, y }: { readonly x: number; readonly y: number },
): void {
  const { width, height, rgba, cells } = picture;
  const [left, top] = [Math.round(x), Math.round(y)];
  const { dx, dy, rgba: colours, cells: pixels } = stamp;
  for (let pixel = 0; pixel < dx.length; pixel++) {
    const px = left + dx[pixel]!;
    const py = top + dy[pixel]!;
    if (px < 0 || py < 0 || px >= width || py >= height) continue;
    const to = py * width + px;
    const alpha = colours[pixel * 4 + 3]!;
    // What is opaque, or lies on nothing, is as it is.
    if (alpha === 255 || cells[to] === 0) {
      cells[to] = pixels[pixel]!;
      continue;
    }
    const below = rgba[to * 4 + 3]! / 255;
    const out = alpha / 255 + below * (1 - alpha / 255);
    for (let byte = 0; byte < 3; byte++) {
      const old = rgba[to * 4 + byte]!;
      rgba[to * 4 + byte] = old + (colours[pixel * 4 + byte]! - old) * (alpha / 255 / out);
    }
    rgba[to * 4 + 3] = out * 255;
  }
}
