// Dark on white in every theme, so that cameras can read the code. The image includes the quiet zone.
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export function QrPicture({ src, label }: { src: string; label?: string }) {
  const texts = useTexts(UI);
  return (
    <img
      src={src}
      alt={label ?? texts.qr}
      className="qr aspect-square w-full max-w-80 rounded-md border border-line bg-white [forced-color-adjust:none] [image-rendering:pixelated]"
    />
  );
}
