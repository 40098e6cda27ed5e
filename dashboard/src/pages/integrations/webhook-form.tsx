// The webhook's URL and events. The URL is checked while typing, with the gateway's own rules.
import { useQuery } from "@tanstack/react-query";
import { use, useState } from "react";
import { isListed, type UrlPolicy, type UrlProblem, urlProblem } from "@gateway/domain/egress/outgoing-url.ts";
import {
  CONNECTION_EVENT_GROUPS,
  CONNECTION_EVENT_ROWS,
  CONNECTION_EVENTS,
  connectionEventsOf,
  type ConnectionEvent,
  type ConnectionEventGroup,
  DEFAULT_CONNECTION_EVENTS,
} from "@gateway/domain/webhooks/connection-events.ts";
import { type ResponseBody, reading } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { Form, TextField, useForm } from "../../ui/forms/field.tsx";
import { FormError, Issues } from "../../ui/forms/form-error.tsx";
import { PhoneFold } from "../../ui/phone-fold.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";

export type Webhook = NonNullable<ResponseBody<"GET /connections/{id}/webhook">["data"]>;
type Chosen = { url: string; events: readonly string[] };

type WebhookFormProps = {
  webhook: Webhook | null;
  ownerOnly: string | undefined;
  save: (url: string, events: readonly string[], idempotencyKey: string) => Promise<void>;
};

export function WebhookForm({ webhook, ownerOnly, save }: WebhookFormProps) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const stored: Chosen = webhook ?? { url: "", events: DEFAULT_CONNECTION_EVENTS };
  const [chosen, setChosen] = useChosen(stored);
  const policy = usePolicy();
  const [empty, setEmpty] = useState(false);
  const fresh = webhook?.new_events ?? [];
  const [open, setOpen] = useState(fresh.length > 0);
  const form = useForm(async (_fields, idempotencyKey) => {
    const none = chosen.events.length === 0;
    setEmpty(none);
    if (none) setOpen(true);
    else await save(chosen.url, chosen.events, idempotencyKey);
  });
  const url = chosen.url.trim();
  const problem = url === "" ? null : urlProblem(url, policy);
  const unchanged = webhook !== null && fresh.length === 0 && same(chosen, stored) ? texts.unchanged : undefined;
  const tick = (types: readonly ConnectionEvent[], on: boolean) => {
    setChosen({ ...chosen, events: CONNECTION_EVENTS.filter((type) => (types.includes(type) ? on : chosen.events.includes(type))) });
    setEmpty(false);
  };
  return (
    <Form form={form} className="grid min-w-0 gap-4">
      <div className="grid gap-2">
        <TextField
          label={texts.url}
          name="url"
          type="url"
          required
          readOnly={ownerOnly !== undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="https://"
          value={chosen.url}
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(wordsFor(urlProblem(currentTarget.value.trim(), policy), texts.checks))
          }
          onChange={({ currentTarget }) => setChosen({ ...chosen, url: currentTarget.value.trim() })}
        />
        {url !== "" && <UrlChecks problem={problem} exception={problem === null ? exceptionOf(url, policy) : null} />}
      </div>
      <div className="min-w-0">
        {/* Most owners keep the usual events, so the list of individual events is collapsed. */}
        <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className="min-h-11 w-fit cursor-pointer content-center rounded-md font-semibold pointer-fine:min-h-6">
            {texts.allOf(texts.eventsTitle, chosen.events.length, CONNECTION_EVENTS.length)}
          </summary>
          <fieldset disabled={ownerOnly !== undefined} className="grid min-w-0 gap-3 pt-3">
            <legend className="sr-only">{texts.eventsTitle}</legend>
            {fresh.length > 0 && <p className="text-sm text-info">{texts.newText}</p>}
            <div className="md:columns-2 md:gap-x-8">
              {CONNECTION_EVENT_GROUPS.map((group) => (
                <EventGroup key={group} group={group} ticked={chosen.events} fresh={fresh} onTick={tick} />
              ))}
            </div>
          </fieldset>
        </details>
        {empty && (
          <p role="alert" className="text-sm font-semibold text-bad">
            {texts.noEvents}
          </p>
        )}
      </div>
      {/* The checkboxes have no names. This field makes `useForm` notice that other events are chosen. */}
      <input type="hidden" name="ticked" value={chosen.events.join()} />
      <FormError refused={form.refused} />
      <div>
        <Button type="submit" kind="primary" busy={form.busy} why={ownerOnly ?? unchanged}>
          {webhook === null ? texts.create : texts.save}
        </Button>
      </div>
    </Form>
  );
}

/** Adopts changes made elsewhere, unless the user has edited the form. */
function useChosen(stored: Chosen): [Chosen, (chosen: Chosen) => void] {
  const [chosen, setChosen] = useState(stored);
  const [base, setBase] = useState(stored);
  if (!same(base, stored)) {
    setBase(stored);
    if (same(chosen, base)) setChosen(stored);
  }
  return [chosen, setChosen];
}

function same(a: Chosen, b: Chosen): boolean {
  return a.url === b.url && a.events.length === b.events.length && a.events.every((type) => b.events.includes(type));
}

function usePolicy(): UrlPolicy {
  const session = useQuery(reading("GET /session", {}));
  const { sandbox = false, webhook_hosts: listed = [] } = session.data?.data ?? {};
  return { own: [location.origin], loopback: sandbox, listed };
}

type Exception = "listed" | "sandbox";

/** The sandbox may call plain http URLs on this machine. A single machine may call the receivers that its operator lists. */
function exceptionOf(url: string, { listed = [] }: UrlPolicy): Exception | null {
  if (isListed(new URL(url), listed)) return "listed";
  return url.startsWith("http:") ? "sandbox" : null;
}

type CheckTexts = TextsOf<typeof INTEGRATIONS>["webhook"]["checks"];

function wordsFor(problem: UrlProblem | null, texts: CheckTexts): string {
  if (problem === null) return "";
  return problem === "not_https" ? texts.httpsWrong : texts.publicWrong[problem];
}

function UrlChecks({ problem, exception }: { problem: UrlProblem | null; exception: Exception | null }) {
  const texts = useTexts(INTEGRATIONS).webhook.checks;
  // After an attempt to save, the field itself shows the error.
  const isSaid = use(Issues).issues.has("url");
  if (exception !== null) {
    return (
      <ul className="text-sm">
        <UrlCheck result="right">{texts[exception]}</UrlCheck>
      </ul>
    );
  }
  // The other checks say nothing until this problem is fixed.
  if (problem !== null) {
    return isSaid ? null : (
      <ul className="text-sm">
        <UrlCheck result="wrong">{wordsFor(problem, texts)}</UrlCheck>
      </ul>
    );
  }
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <UrlCheck result="right">{texts.https}</UrlCheck>
      <UrlCheck result="right">{texts.public}</UrlCheck>
      <UrlCheck result="unknown">{texts.final}</UrlCheck>
    </ul>
  );
}

const MARKS = { right: "✓", wrong: "✗", unknown: "·" } as const;
const TONES = { right: "text-good", wrong: "font-semibold text-bad", unknown: "text-soft" } as const;

function UrlCheck({ result, children }: { result: keyof typeof MARKS; children: string }) {
  return (
    <li data-result={result} className={TONES[result]}>
      <span aria-hidden>{MARKS[result]} </span>
      {children}
    </li>
  );
}

type EventGroupProps = {
  group: ConnectionEventGroup;
  ticked: readonly string[];
  fresh: readonly string[];
  onTick: (types: readonly ConnectionEvent[], on: boolean) => void;
};

function EventGroup({ group, ticked, fresh, onTick }: EventGroupProps) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const language = useLanguage();
  const types = connectionEventsOf(group);
  const count = types.filter((type) => ticked.includes(type)).length;
  return (
    <div role="group" aria-label={texts.groups[group]} className="mb-4 grid break-inside-avoid gap-2">
      <Check
        label={<span className="font-semibold">{texts.allOf(texts.groups[group], count, types.length)}</span>}
        checked={count === types.length}
        mixed={count > 0 && count < types.length}
        onChange={({ currentTarget }) => onTick(types, currentTarget.checked)}
      />
      <PhoneFold label={texts.eachEvent(texts.groups[group])} open={types.some((type) => fresh.includes(type))}>
        <div className="grid gap-1.5 pl-7">
          {types.map((type) => (
            <Check
              key={type}
              label={
                <span className="inline-flex flex-wrap items-center gap-2">
                  <Mono>{type}</Mono>
                  {fresh.includes(type) && <Badge tone="info">{texts.new}</Badge>}
                </span>
              }
              hint={CONNECTION_EVENT_ROWS[type].when[language]}
              checked={ticked.includes(type)}
              onChange={({ currentTarget }) => onTick([type], currentTarget.checked)}
            />
          ))}
        </div>
      </PhoneFold>
    </div>
  );
}
