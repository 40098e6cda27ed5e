import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { reading } from "../../api/client.ts";
import { snippet } from "../../domain/snippets.ts";
import { Code, Mono } from "../../ui/code/code.tsx";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { useClosing } from "../../ui/use-closing.ts";
import { Facts } from "../../ui/facts.tsx";
import { Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { FAILURES, LOGS } from "../../texts/catalogs.ts";
import { isFailureCode, type Logged, RouteText, StatusBadge } from "./logs.tsx";

export function LoggedRequest() {
  const texts = useTexts(LOGS).detail;
  const { id, request } = useParams({ from: "/in/connections/$id/logs/$request" });
  const close = useClosing({ to: "/connections/$id/logs", params: { id } });
  const result = useQuery(reading("GET /connections/{id}/logs/{request_id}", { id, request_id: request }));
  return (
    <Drawer open onClose={close} title={texts.title}>
      <Query result={result} label={texts.loading}>
        {({ data }) => <Details call={data} />}
      </Query>
    </Drawer>
  );
}

function Details({ call }: { call: Logged }) {
  const texts = useTexts(LOGS);
  const { api } = useTexts(FAILURES);
  const { id, at, method, route, status, code, caller, ms, replayed } = call;
  const known = isFailureCode(code) ? code : null;
  const facts: [string, ReactNode][] = [
    [texts.detail.answer, <StatusBadge key="answer" status={status} route={route} code={code} />],
    [texts.detail.caller, texts.caller[caller.kind](caller.name)],
    [texts.detail.at, <When key="at" time={at} />],
    [
      texts.detail.ms,
      <span key="ms">
        {texts.ms(ms)} <span className="block text-sm text-soft">{texts.detail.msHint}</span>
      </span>,
    ],
    [
      texts.detail.requestId,
      <span key="id" className="inline-flex flex-wrap items-center gap-1">
        <Mono>{id}</Mono>
        <CopyButton value={id} label={texts.detail.copyId} iconOnly />
      </span>,
    ],
  ];
  return (
    <>
      <p className="text-lg">
        <RouteText method={method} route={route} />
      </p>
      <Facts facts={facts} />
      <section className="grid gap-1">
        <h3>{texts.detail.what}</h3>
        <p>{known === null ? outcomeOf(status, texts.detail) : api({ code: known })}</p>
        {known === "send_outcome_unknown" && <p className="font-semibold">{texts.detail.uncertain}</p>}
        {replayed && <p className="text-soft">{texts.replayedHint}</p>}
      </section>
      {caller.kind !== "dashboard" && (
        <section className="grid min-w-0 gap-2">
          <h3>{texts.detail.again}</h3>
          <p className="text-sm text-soft">{texts.detail.againHint}</p>
          <Code lang="curl" text={snippet("curl", callOf(method, route), null)} wrap />
        </section>
      )}
    </>
  );
}

/** Describes a call whose code is missing or unknown to this page, because another version of the gateway logged it. */
function outcomeOf(status: number, texts: TextsOf<typeof LOGS>["detail"]): string {
  if (status < 400) return texts.succeeded;
  return status < 500 ? texts.rejected(status) : texts.failed(status);
}

/** Uses the page's origin, which the dashboard and the API share. */
function callOf(method: string, route: string) {
  return { method, url: location.origin + route, ...(method === "GET" || method === "DELETE" ? {} : { body: {} }) };
}
