// Help below a failure message: when to try again, whom to ask, and details for support and developers in a fold.
import { Suspense, useState } from "react";
import type { Refusal, RefusalCode } from "../api/refusal.ts";
import { serverNow } from "../api/server-time.ts";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { useSecondsLeft } from "./clock.ts";
import { lazyPart } from "./loading/lazy-part.tsx";

const Remedy = lazyPart(() => import("./forms/remedy.tsx").then(({ Remedy: component }) => component));
const WITH_REMEDY: ReadonlySet<RefusalCode> = new Set(["subscription_required", "instance_limit", "internal_error", "unreadable"]);

export function Help({ refused }: { refused: Refusal }) {
  const { code, retryAfter, requestId } = refused;
  return (
    <>
      {retryAfter !== null && <Wait key={requestId} seconds={retryAfter} />}
      {WITH_REMEDY.has(code) && (
        <Suspense>
          <Remedy code={code} />
        </Suspense>
      )}
      <Technical refused={refused} />
    </>
  );
}

function Wait({ seconds }: { seconds: number }) {
  const texts = useTexts(UI);
  const [until] = useState(() => serverNow() + seconds * 1_000);
  const left = useSecondsLeft(until);
  return left === 0 ? null : (
    <p aria-live="off" className="text-sm">
      {texts.waitSeconds(left)}
    </p>
  );
}

function Technical({ refused: { code, status, requestId } }: { refused: Refusal }) {
  const texts = useTexts(UI).technical;
  if (requestId === null) return null;
  return (
    <details className="text-sm text-soft">
      <summary className="w-fit cursor-pointer underline-offset-2 hover:underline">{texts.title}</summary>
      <p>
        {texts.requestId}: <code className="break-all select-all">{requestId}</code>
      </p>
      <p>
        {texts.code}: <code>{code}</code>
        {status > 0 && ` (HTTP ${status})`}
      </p>
    </details>
  );
}
