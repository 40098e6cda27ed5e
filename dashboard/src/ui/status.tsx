// Shows a connection's status as shape, word and reason, never by colour alone.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { UI, REASONS } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { When } from "./when.tsx";

export type ShownStatus = InstanceStatus | null;

const TONES: Record<InstanceStatus, string> = {
  connected: "text-good",
  connecting: "text-attention",
  scan_qr: "text-info",
  disconnected: "text-soft",
  failed: "text-bad",
};

/** Drawn as shapes, because fonts render ● ◐ ◇ ○ ▲ differently. */
export function StatusIcon({ status, size = 12, isRestricted = false }: { status: ShownStatus; size?: number; isRestricted?: boolean }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      data-status={status ?? "unknown"}
      className={`inline-block shrink-0 ${status === null || isRestricted ? "text-attention" : TONES[status]}`}
    >
      {isRestricted ? SHAPES.restricted : SHAPES[status ?? "unknown"]}
    </svg>
  );
}

const SHAPES = {
  connected: <circle cx="6" cy="6" r="5" fill="currentColor" stroke="none" />,
  connecting: (
    <>
      <circle cx="6" cy="6" r="4.6" />
      <path d="M6 1.4a4.6 4.6 0 0 0 0 9.2z" fill="currentColor" stroke="none" />
    </>
  ),
  scan_qr: <path d="M6 1.2 10.8 6 6 10.8 1.2 6z" />,
  disconnected: <circle cx="6" cy="6" r="4.6" />,
  restricted: (
    <>
      <circle cx="6" cy="6" r="4.6" />
      <path d="M6 3.2v3.4M6 8.2v.8" strokeLinecap="round" />
    </>
  ),
  failed: <path d="M6 0.8 11.6 11H0.4z" fill="currentColor" stroke="none" />,
  unknown: <circle cx="6" cy="6" r="4.6" strokeDasharray="2 2" />,
};

type StatusTextProps = {
  status: ShownStatus;
  reason?: string | null;
  since?: string | null;
  long?: boolean;
  /** The network refuses new chats, although the number is connected. */
  isRefused?: boolean;
};

/** Shows, for example, "● connected" or "○ disconnected – logged out on the phone". `long` adds an explanation. */
export function StatusText({ status, reason: given = null, since = null, long = false, isRefused = false }: StatusTextProps) {
  const reason = isRefused && given === "ok" ? "restricted" : given;
  const texts = useTexts(UI);
  const reasons = useTexts(REASONS);
  const known = status !== null && reason !== null && Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : null;
  const short = known?.short ?? "";
  return (
    <span className="inline-flex min-w-0 items-start gap-1.5">
      {/* Centred on the first line of the text. */}
      <span className="grid h-[1lh] shrink-0 place-items-center">
        <StatusIcon status={status} isRestricted={reason === "restricted"} />
      </span>
      <span className="min-w-0">
        {/* Separators stay at the end of a line. */}
        <span className="font-semibold">{texts.status[status ?? "unknown"]}</span>
        {short !== "" && <span className="text-soft">{`\u00A0– ${short}`}</span>}
        {since !== null && (
          <span className="text-soft">
            {"\u00A0· "}
            <When time={since} justNow={texts.changed} />
          </span>
        )}
        {long && <span className="block text-soft">{status === null ? texts.unknownText : known?.happened}</span>}
      </span>
    </span>
  );
}
