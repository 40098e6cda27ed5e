// Pairs a number by QR code or typed code. Connecting a paired number never requires a new pairing.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { useChange } from "../../api/cache.ts";
import { reading } from "../../api/client.ts";
import { useFrames } from "../../api/live.ts";
import { type ShownQr, shownQr, type Stage, stageOf, stepOf, STEPS } from "../../domain/pairing.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { StatusText } from "../../ui/status.tsx";
import { announce } from "../../ui/toast.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { PAIR, REASONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { PairByCode, type IssuedCode } from "./by-code.tsx";
import { PairingLinks } from "./links.tsx";
import { PairByQr } from "./by-qr.tsx";
import { serverNow } from "../../api/server-time.ts";
import { Check } from "lucide-react";
import { useAutomaticQr } from "../../ui/automatic-qr.ts";

const route = getRouteApi("/in/connections/$id/pair");
/** How long "connected" is shown before the page closes, in case a sync follows. */
const LEAVE_MS = 1_500;

export function Pair() {
  const texts = useTexts(PAIR);
  const { id } = route.useParams();
  const { by = isPhone() ? "code" : "qr" } = route.useSearch();
  const navigate = route.useNavigate();
  const record = useQuery(reading("GET /connections/{id}", { id })).data?.data;
  const { status = null, status_reason: reason = null, phone = null, role = "viewer", name = "", lacks = [] } = record ?? {};
  const stage = stageOf(status, reason);
  const { qr, percent } = useProgress(id, stage === "scan" && role !== "viewer");
  useLeaving(id, stage);
  const mayPair = !lacks.includes("pairing");
  // Leaves the page if the connection has no phone, for example when the page was opened from a bookmark.
  useEffect(() => {
    if (!mayPair) void navigate({ to: "/connections/$id", params: { id }, replace: true });
  }, [mayPair, id, navigate]);
  const connect = useChange("POST /connections/{id}/connect");
  const disconnect = useChange("POST /connections/{id}/disconnect");
  const isWaiting = stage === "starting" || stage === "scan";
  const mayBegin = role !== "viewer" && mayPair && phone === null && stage === "idle";
  const begin = () => connect.mutate({ id, force_new_pairing: false });
  const atOnce = useAutomaticQr(record !== undefined, mayBegin && by === "qr", begin);
  const [code, setCode] = useState<IssuedCode | null>(null);
  const [wasWaiting, setWasWaiting] = useState(isWaiting);
  if (wasWaiting !== isWaiting) {
    setWasWaiting(isWaiting);
    atOnce.end();
    // A code is valid only within its session.
    if (!isWaiting) setCode(null);
  }
  const isStopped = stage === "idle" || stage === "failed";
  const isBeginning = atOnce.isBeginning && stage === "idle" && connect.error === null;
  return (
    <div className="pair-page grid min-w-0 gap-4">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <PageTitle>{texts.title(name)}</PageTitle>
          <StatusText status={status} reason={reason} />
        </div>
        {role !== "viewer" && stage !== "connected" && stage !== "syncing" && <PairingLinks id={id} name={name} />}
      </header>
      <Steps stage={isBeginning ? "starting" : stage} />
      <div className="pair-box min-w-0 rounded-lg bg-surface p-4 sm:p-6">
        {role === "viewer" && stage !== "connected" && stage !== "syncing" && <p>{texts.viewer}</p>}
        {role !== "viewer" && isStopped && by === "qr" && !isBeginning && (
          <Begin reason={reason} isPaired={phone !== null} busy={connect.isPending} onBegin={begin} />
        )}
        {role !== "viewer" && (isWaiting || isBeginning || (isStopped && by === "code")) && (
          <Tabs
            label={texts.ways}
            chosen={by}
            onChoose={(chosen) => {
              if (chosen === "qr" && mayBegin) atOnce.begin();
              void navigate({ search: { by: chosen === "code" ? "code" : "qr" }, replace: true });
            }}
            tabs={(isPhone() ? (["code", "qr"] as const) : (["qr", "code"] as const)).map((way) => ({
              id: way,
              label: texts[way],
              content:
                way === "qr" ? (
                  <PairByQr qr={qr} isResuming={stage === "starting" && reason !== "starting"} hasCode={reason === "pairing_code_issued"} />
                ) : (
                  <PairByCode id={id} isOpen={isWaiting} code={code} onCode={setCode} />
                ),
            }))}
          />
        )}
        {stage === "passkey" && role !== "viewer" && <PasskeyWanted />}
        {stage === "pairing" && <p role="status">{texts.pairing}</p>}
        {stage === "syncing" && (
          <div className="grid gap-3">
            <p role="status" className="text-lg font-semibold">
              {texts.syncing(percent)}
            </p>
            <progress
              max={100}
              {...(percent === null ? {} : { value: percent })}
              aria-label={texts.syncing(null)}
              className="w-full max-w-md"
            />
            <p className="max-w-prose text-soft">{texts.syncText}</p>
          </div>
        )}
        {stage === "connected" && (
          <div className="grid gap-1">
            <p role="status" className="text-lg font-semibold">
              {texts.connected}
            </p>
            <p className="text-soft">{texts.connectedText}</p>
          </div>
        )}
        {stage === "unknown" && <p role="status">{texts.unknown}</p>}
        {(connect.error ?? disconnect.error) !== null && (
          <div className="mt-4">
            <FormError refused={connect.error ?? disconnect.error} />
          </div>
        )}
        {(stage === "syncing" || stage === "connected") && (
          <ButtonLink to="/connections/$id" params={{ id }} kind="primary" className="mt-4">
            {texts.overview}
          </ButtonLink>
        )}
        {(isWaiting || stage === "passkey") && role !== "viewer" && (
          <Button className="mt-4" busy={disconnect.isPending} onClick={() => disconnect.mutate({ id })}>
            {texts.cancel}
          </Button>
        )}
      </div>
    </div>
  );
}

function Begin({ reason, isPaired, busy, onBegin }: { reason: string | null; isPaired: boolean; busy: boolean; onBegin: () => void }) {
  const texts = useTexts(PAIR);
  const reasons = useTexts(REASONS);
  const known = reason !== null && Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : null;
  const isTimeout = reason === "qr_timeout" || reason === "passkey_timeout";
  const label = isPaired ? texts.connect : isTimeout ? texts.beginAgain : reason === "created" ? texts.begin : texts.retry;
  return (
    <div className="grid max-w-prose justify-items-start gap-3">
      {known !== null && (
        <div className="grid gap-1">
          <p className="font-semibold">{known.happened}</p>
          <p>{known.next}</p>
        </div>
      )}
      {isPaired && <p className="text-soft">{texts.paired}</p>}
      <Button kind="primary" busy={busy} onClick={onBegin}>
        {label}
      </Button>
    </div>
  );
}

/** Browsers allow the network's passkeys only on the network's own site, so this page can only explain what to do. */
function PasskeyWanted() {
  const { passkey_wanted: reason } = useTexts(REASONS);
  return (
    <div role="status" className="grid max-w-prose gap-1">
      <p className="font-semibold">{reason.happened}</p>
      <p>{reason.next}</p>
    </div>
  );
}

/** The current QR code and the history sync's progress, from the stream. */
function useProgress(id: string, wantsQr: boolean): { qr: ShownQr | null; percent: number | null } {
  const texts = useTexts(PAIR);
  const [qr, setQr] = useState<ShownQr | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  // Fetches the current QR code, because the stream may have sent it before this component mounted.
  const { data: first, dataUpdatedAt } = useQuery({
    ...reading("GET /connections/{id}/qr", { id }),
    enabled: wantsQr && qr === null,
    retry: false,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useFrames(({ type, data }) => {
    if (type === "qr") {
      if (qr !== null) announce(texts.newQr);
      setQr(shownQr(data as { qr: string; expires_at: string }, serverNow()));
    }
    if (type === "history") setPercent((data as { progress: number | null }).progress);
  });
  const [wanted, setWanted] = useState(wantsQr);
  // A new attempt must not show the previous QR code.
  if (wanted !== wantsQr) {
    setWanted(wantsQr);
    if (!wantsQr) setQr(null);
  }
  const shown = qr ?? (first === undefined ? null : shownQr(first.data, dataUpdatedAt));
  return { qr: wantsQr ? shown : null, percent };
}

/** Opens the overview after the number has connected on this page. */
function useLeaving(id: string, stage: string): void {
  const navigate = route.useNavigate();
  const [sawPairing, setSawPairing] = useState(false);
  if (!sawPairing && (stage === "scan" || stage === "passkey" || stage === "pairing" || stage === "syncing")) setSawPairing(true);
  const leave = useEffectEvent(() => void navigate({ to: "/connections/$id", params: { id } }));
  const isDone = sawPairing && stage === "connected";
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => leave(), LEAVE_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
}

/** True if this device is a phone, which cannot scan its own screen. */
function isPhone(): boolean {
  return matchMedia("(pointer: coarse) and (max-width: 600px)").matches;
}

export function Steps({ stage }: { stage: Stage }) {
  const texts = useTexts(PAIR).steps;
  const now = stepOf(stage);
  // A phone's screen has room for only one step's name.
  const named = Math.min(Math.max(now, 0), STEPS.length - 1);
  return (
    <ol aria-label={texts.label} className="grid grid-cols-4 gap-x-2 sm:gap-x-4">
      {STEPS.map((step, at) => (
        <li
          key={step}
          aria-current={at === now ? "step" : undefined}
          className={`flex items-center gap-1.5 border-t-2 pt-1.5 whitespace-nowrap last:max-sm:justify-end ${at === now ? "border-accent font-semibold" : at < now ? "border-good" : "border-line text-soft"}`}
        >
          {at < now && <Check size={16} aria-hidden className="text-good" />}
          <span className={at === named ? "" : "max-sm:sr-only"}>{texts[step]}</span>
        </li>
      ))}
    </ol>
  );
}
