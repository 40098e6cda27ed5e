/** Maximum width and height. Larger images are scaled down, because decoding time grows with the number of pixels. */
const MAX_SIDE = 1600;

export type QrReading = { ok: true; text: string } | { ok: false; problem: "noQr" | "noPicture" };

export async function readQr(picture: Blob): Promise<QrReading> {
  const pixels = await pixelsOf(picture).catch(() => null);
  if (pixels === null) return { ok: false, problem: "noPicture" };
  const { default: decodeQR } = await import("qr/decode.js");
  try {
    return { ok: true, text: decodeQR(pixels) };
  } catch {
    return { ok: false, problem: "noQr" };
  }
}

/** An image file, or an image embedded in another page as a `data:` URL. */
export function pictureIn(data: DataTransfer): Blob | null {
  const file = [...data.files].find(({ type }) => type.startsWith("image/"));
  return file ?? pictureOfAddress(data.getData("text/uri-list")) ?? pictureOfAddress(data.getData("text/html"));
}

function pictureOfAddress(text: string): Blob | null {
  const [, type, base64] = /data:(image\/[\w+.-]+);base64,([A-Za-z0-9+/=]+)/.exec(text) ?? [];
  if (type === undefined || base64 === undefined) return null;
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type });
}

async function pixelsOf(picture: Blob): Promise<ImageData> {
  const address = URL.createObjectURL(picture);
  try {
    // Uses an image element, because it also opens SVG, unlike createImageBitmap.
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(1, MAX_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
    const [width, height] = [Math.round(image.naturalWidth * scale), Math.round(image.naturalHeight * scale)];
    const canvas = new OffscreenCanvas(width, height);
    const drawing = canvas.getContext("2d");
    if (drawing === null) throw new Error("the browser draws no pictures");
    // Filled with white first, because transparent images expect a light background.
    drawing.fillStyle = "#ffffff";
    drawing.fillRect(0, 0, width, height);
    drawing.drawImage(image, 0, 0, width, height);
    return drawing.getImageData(0, 0, width, height);
  } finally {
    URL.revokeObjectURL(address);
  }
}
