import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { type ReactNode, useState } from "react";
import { refresh } from "../../api/cache.ts";
import { type Answer, api } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code/code.tsx";
import { useAction } from "../../ui/forms/action.ts";
import { FormError } from "../../ui/forms/form-error.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type Result = Answer<"POST /connections/{id}/webhook/test">["data"];
type Message = NonNullable<Result["request"]>;

type WebhookTestProps = { id: string; url: string; ownerOnly: string | undefined; children: ReactNode };

export function WebhookTest({ id, url, ownerOnly, children }: WebhookTestProps) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const client = useQueryClient();
  const { busy, refused, run } = useAction();
  const [shown, setShown] = useState<{ url: string; result: Result } | null>(null);
  const test = async () => {
    setShown(null);
    const { data } = await api("POST /connections/{id}/webhook/test", { id });
    setShown({ url, result: data });
    await refresh(client, ["GET /connections/{id}/webhook"]);
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button icon={Send} why={ownerOnly} busy={busy} onClick={() => void run(test)}>
          {busy ? texts.testing : texts.test}
        </Button>
        {children}
      </div>
      {refused !== null && <FormError refused={refused} />}
      <div role="status" className="grid min-w-0 empty:-mt-4">
        {shown !== null && <Outcome {...shown} />}
      </div>
    </>
  );
}

function Outcome({ url, result }: { url: string; result: Result }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const { http_status: status, latency_ms: ms, error, request, response } = result;
  return (
    <section aria-label={texts.testTitle} className="grid min-w-0 gap-3 rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={error === null ? "good" : "bad"}>
          <span aria-hidden>{error === null ? "✓" : "✗"}</span>
          {error === null ? texts.testPassed : texts.testFailed}
        </Badge>
        {status !== null && <span className="font-semibold">HTTP {status}</span>}
        <span className="text-soft">{texts.milliseconds(ms)}</span>
      </p>
      {error !== null && <p>{texts.errors[error]?.(ms) ?? error}</p>}
      {request !== null && <Exchange title={texts.sent} text={`POST ${url}\n${textOf(request)}`} />}
      {response !== null && <Exchange title={texts.answered} text={`HTTP ${status ?? ""}\n${textOf(response)}`} />}
    </section>
  );
}

function Exchange({ title, text }: { title: string; text: string }) {
  return (
    <details className="min-w-0">
      <summary className="min-h-11 cursor-pointer content-center rounded-md font-semibold pointer-fine:min-h-6">{title}</summary>
      <Code lang="HTTP" text={text} wrap />
    </details>
  );
}

function textOf({ headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [...lines, "", body].join("\n");
}
