import { useSecondsLeft } from "../../ui/clock.ts";
import { QrPicture } from "../../ui/graphics/qr.tsx";
import { Countdown } from "../../ui/graphics/countdown.tsx";
import type { ShownQr } from "../../domain/pairing.ts";
import { useTexts } from "../../texts/catalog.ts";
import { PAIR } from "../../texts/catalogs.ts";

export function PairByQr({ qr, isResuming, hasCode }: { qr: ShownQr | null; isResuming: boolean; hasCode: boolean }) {
  const texts = useTexts(PAIR);
  return (
    <div className="grid gap-6 sm:grid-cols-[20rem_minmax(0,1fr)]">
      {qr === null ? (
        <Waiting text={hasCode ? texts.codeWaits : isResuming ? texts.resuming : texts.starting} />
      ) : (
        <Shown key={qr.expires_at} qr={qr} />
      )}
      <HowTo title={texts.how} lines={texts.howQr} />
    </div>
  );
}

function Shown({ qr: { qr, expires_at, totalSeconds } }: { qr: ShownQr }) {
  const texts = useTexts(PAIR);
  const left = useSecondsLeft(Date.parse(expires_at));
  if (left === 0) return <Waiting text={texts.nextQr} />;
  return (
    <div className="grid gap-3">
      <QrPicture src={qr} />
      <div className="flex items-center gap-3">
        <Countdown until={expires_at} totalSeconds={totalSeconds} />
        <p className="text-sm text-soft">{texts.qrEnds}</p>
      </div>
    </div>
  );
}

function Waiting({ text }: { text: string }) {
  return (
    <p
      role="status"
      className="grid aspect-square w-full max-w-80 place-items-center rounded-md border border-dashed border-edge p-4 text-center text-soft"
    >
      {text}
    </p>
  );
}

export function HowTo({ title, lines }: { title: string; lines: string }) {
  return (
    <div className="min-w-0">
      <h2 className="text-lg">{title}</h2>
      <ol className="mt-2 grid list-decimal gap-2 pl-5">
        {lines.split("\n").map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </div>
  );
}
