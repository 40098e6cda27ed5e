import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { ResponseBody } from "../../api/client.ts";
import { type NextStep, nextStep } from "../../domain/connection-list.ts";
import { stripHours } from "../../domain/strip.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Strip } from "../../ui/graphics/strip.tsx";
import { StatusText } from "../../ui/status.tsx";
import { OwnPhone } from "../../ui/phone.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { useChange } from "../../api/cache.ts";
import { refusalText } from "../../api/refused.ts";
import { Button, type ButtonKind, ButtonLink } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { useLanguage } from "../../texts/language.ts";
import { MessageSquareText, QrCode, Tag } from "lucide-react";
import { Empty } from "../../ui/states.tsx";

type ListedConnection = ResponseBody<"GET /connections">["data"][number];

export const ConnectionRow = memo(function ConnectionRow({ row }: { row: ListedConnection }) {
  const texts = useTexts(CONNECTIONS);
  const { id, name, phone, last_phone, status, status_reason, status_changed_at, role, activity } = row;
  const step = nextStep(row);
  return (
    <li
      data-connection={id}
      className="drawn-when-seen grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-b border-line px-4 py-2 last:border-b-0 min-[1200px]:min-h-11 min-[1200px]:grid-cols-[minmax(10rem,1.4fr)_9.5rem_minmax(17rem,1.6fr)_9rem_6.5rem] min-[1200px]:py-1"
    >
      <span className={`flex min-w-0 items-center gap-x-3 ${step === null ? "max-[1199px]:col-[1/-1] max-[1199px]:row-start-1" : ""}`}>
        <span className="self-start max-[1199px]:-mb-5 min-[1200px]:self-center">
          <Avatar name={name} small />
        </span>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <Link
            to="/connections/$id"
            params={{ id: String(id) }}
            className="inline-flex min-h-11 min-w-0 items-center font-semibold break-words underline-offset-4 hover:underline max-[1199px]:-my-[11px] max-[1199px]:py-[11px] pointer-fine:min-h-9"
          >
            {name}
          </Link>
          {role !== "owner" && <Badge>{texts.shared[role]}</Badge>}
        </span>
      </span>
      <span className="row-start-3 max-[1199px]:pl-12 min-[1200px]:row-start-auto">
        <OwnPhone digits={phone} last={last_phone} none={texts.noPhone} />
      </span>
      <span className="col-span-2 row-start-2 min-w-0 max-[1199px]:pl-12 min-[1200px]:col-span-1 min-[1200px]:row-start-auto">
        <StatusText status={status} reason={status_reason} since={status_changed_at} />
      </span>
      <span className="row-start-3 max-[1199px]:w-16 min-[1200px]:row-start-auto">
        {activity !== undefined && <Strip hours={stripHours(activity, status)} now={status} />}
      </span>
      <span className="col-start-2 row-start-1 justify-self-end min-[1200px]:col-start-auto min-[1200px]:row-start-auto">
        <StepButton connection={row} step={step} />
      </span>
    </li>
  );
});

type Needy = ResponseBody<"GET /connections">["attention"][number];

export const Attention = memo(function Attention({ items, total }: { items: readonly Needy[]; total: number }) {
  const texts = useTexts(CONNECTIONS);
  return (
    <section aria-labelledby="attention" className="min-w-0 rounded-lg border border-attention bg-surface">
      <h2 id="attention" className="px-4 pt-3 pb-1 text-lg">
        {texts.attention}
      </h2>
      <ul>
        {items.map((item) => (
          <li key={item.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2">
            <div className="min-w-0">
              <p className="font-semibold break-words">{item.name}</p>
              <StatusText status={item.status} reason={item.status_reason} since={item.status_changed_at} />
            </div>
            <StepButton connection={item} step={nextStep(item)} kind="primary" />
          </li>
        ))}
      </ul>
      {total > items.length && <p className="px-4 pb-3 text-sm text-soft">{texts.attentionMore(total - items.length)}</p>}
    </section>
  );
});

type StepProps = {
  connection: { id: number; name: string; role: "owner" | "operator" | "viewer" };
  step: NextStep;
  kind?: ButtonKind;
};

export function StepButton({ connection: { id, name, role }, step, kind = "plain" }: StepProps) {
  const texts = useTexts(CONNECTIONS);
  const language = useLanguage();
  const connect = useChange("POST /connections/{id}/connect", ["GET /connections", "GET /connections/{id}"]);
  if (step === null) return null;
  const label = texts[step];
  const named = texts.named(label, name);
  const params = { id: String(id) };
  if (step === "read") {
    return (
      <ButtonLink to="/connections/$id" params={params} aria-label={named} kind={kind}>
        {label}
      </ButtonLink>
    );
  }
  if (role === "viewer") {
    return (
      <Button aria-label={named} kind={kind} why={texts.viewer}>
        {label}
      </Button>
    );
  }
  if (step === "pair") {
    return (
      <ButtonLink to="/connections/$id/pair" params={params} aria-label={named} kind={kind}>
        {label}
      </ButtonLink>
    );
  }
  return (
    <Button
      aria-label={named}
      kind={kind}
      busy={connect.isPending}
      onClick={() =>
        connect.mutate(
          { id, force_new_pairing: false },
          {
            onSuccess: () => toast(texts.connecting(name)),
            onError: (refused) => toast(`${name}: ${refusalText(refused, language)}`, { kind: "bad" }),
          },
        )
      }
    >
      {label}
    </Button>
  );
}

export function FirstConnection({ action }: { action: ReactNode }) {
  const texts = useTexts(CONNECTIONS);
  const { steps } = texts;
  const shown = [
    { icon: Tag, title: steps.name, text: steps.nameText },
    { icon: QrCode, title: steps.scan, text: steps.scanText },
    { icon: MessageSquareText, title: steps.send, text: steps.sendText },
  ];
  return (
    <Empty title={texts.emptyTitle} text={texts.empty} action={action}>
      <ol className="grid w-full gap-4 py-2 text-left sm:grid-cols-3">
        {shown.map(({ icon: Icon, title, text }, step) => (
          <li key={title} className="grid content-start gap-2 border-t-2 border-edge pt-3">
            <Icon size={40} strokeWidth={1.25} aria-hidden className="text-soft" />
            <p className="font-semibold">
              {step + 1}. {title}
            </p>
            <p className="text-soft">{text}</p>
          </li>
        ))}
      </ol>
    </Empty>
  );
}
