import { ArrowLeft, Check, CheckCheck, CircleAlert, Clock, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { ShownMessage } from "test-network/phone/views.ts";
import { type ButtonKind, buttonClass } from "../../src/ui/button.tsx";
import { fileAddress } from "../network/control.ts";
import { digitsOf, isGroup } from "../network/names.ts";
import { usePhoneTexts } from "../texts/texts.ts";

export function ScreenBar({ title, back, lead, under, children }: BarOf) {
  const w = usePhoneTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The heading is not focused on the first screen of a visit.
    if (document.activeElement === document.body && document.body.dataset["moved"] === "yes")
      heading.current?.focus({ preventScroll: true });
    document.body.dataset["moved"] = "yes";
  }, []);
  return (
    <div className="flex min-h-14 items-center gap-1 border-b border-line bg-surface px-2 py-1">
      {back !== undefined && <IconLink href={back} icon={ArrowLeft} label={w.back} />}
      {lead}
      <div className="min-w-0 flex-1 px-2">
        <h2 ref={heading} tabIndex={-1} className="truncate text-lg font-semibold outline-none">
          {title}
        </h2>
        {under}
      </div>
      {children}
    </div>
  );
}

type BarOf = { title: string; back?: string; lead?: ReactNode; under?: ReactNode; children?: ReactNode };

export function IconLink({
  href,
  icon: Icon,
  label,
  kind = "quiet",
}: {
  href: string;
  icon: LucideIcon;
  label: string;
  kind?: ButtonKind;
}) {
  return (
    <a href={href} aria-label={label} title={label} className={buttonClass(kind, "w-11 shrink-0 !px-0 pointer-fine:w-9")}>
      <Icon size={18} aria-hidden />
    </a>
  );
}

export function Avatar({ phone, peer, title, picture, size = "size-11 text-sm" }: AvatarOf) {
  const address = isGroup(peer) ? `/groups/${peer}/picture` : `/contacts/${digitsOf(peer)}/picture`;
  if (picture !== null) {
    return (
      <img
        src={`${fileAddress(phone, address)}?of=${encodeURIComponent(picture)}`}
        alt=""
        className={`${size} shrink-0 rounded-full object-cover`}
      />
    );
  }
  const letters = title
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("");
  return (
    <span
      aria-hidden="true"
      className={`${size} inline-flex shrink-0 items-center justify-center rounded-full border border-line bg-tint font-semibold text-soft uppercase`}
    >
      {/^\+?\d/.test(title) ? "#" : letters}
    </span>
  );
}

type AvatarOf = {
  phone: string;
  /** The id of a chat, or a phone. */
  peer: string;
  title: string;
  picture: string | null;
  size?: string;
};

/** Delivery status of a message sent by this phone. Read messages differ in shape, not only in colour. */
export function Ticks({ status }: { status: ShownMessage["status"] }) {
  const w = usePhoneTexts();
  if (status === null) return null;
  const Icon = { pending: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck, played: CheckCheck, failed: CircleAlert }[status];
  const look =
    status === "read" || status === "played"
      ? "rounded-full bg-accent px-0.5 text-on-accent"
      : status === "failed"
        ? "text-bad"
        : "text-soft";
  return (
    <span role="img" aria-label={w.status[status]} title={w.status[status]} className={`inline-flex ${look}`}>
      <Icon aria-hidden="true" className="size-4" />
    </span>
  );
}

export function Nothing({ text, hint }: { text: string; hint?: string }) {
  return (
    <div className="px-6 py-10 text-center">
      <p className="font-semibold">{text}</p>
      {hint !== undefined && <p className="mt-1 text-sm text-soft">{hint}</p>}
    </div>
  );
}
