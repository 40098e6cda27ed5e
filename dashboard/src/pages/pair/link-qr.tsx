// The pairing link as a QR code, for a phone beside this screen. It is loaded together with the finished link.
import { encodeQR } from "qr";
import { QrPicture } from "../../ui/graphics/qr.tsx";

export function LinkQr({ url, label }: { url: string; label: string }) {
  const svg = encodeQR(url, "svg", { ecc: "low", border: 4 });
  return (
    <div className="w-48 max-w-full">
      <QrPicture src={`data:image/svg+xml,${encodeURIComponent(svg)}`} label={label} />
    </div>
  );
}
