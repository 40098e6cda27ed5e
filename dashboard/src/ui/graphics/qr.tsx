// A QR code that cameras read: dark on white in every theme. The picture brings its quiet zone of four modules.
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

/** `src`: the picture of the API, a data: address. Grows to the width there is, at most 20 rem. */
export function QrPicture({ src, label }: { src: string; label?: string }) {
  const texts = useTexts(UI);
  return (
    <img
      src={src}
      alt={label ?? texts.qr}
      className="aspect-square w-full max-w-80 rounded-md border border-line bg-white [forced-color-adjust:none] [image-rendering:pixelated]"
    />
  );
}
