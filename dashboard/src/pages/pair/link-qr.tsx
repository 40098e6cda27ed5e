// Shows the pairing link as a QR code, which a phone next to this screen can scan. Loads once the link has been created.
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
