// A change that an assistant has requested. The user sees it in full and decides (docs/use/mcp.md, "Policy of a key").
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useChange } from "../../api/cache.ts";
import { type ResponseBody, reading } from "../../api/client.ts";
import { chatTitle, kindOfChat, phoneOfChat } from "../../domain/chats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { CHATS, INTEGRATIONS, SHELL } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const ASKED = "GET /connections/{id}/confirmations/{confirmation_id}";
const DECIDE = "POST /connections/{id}/confirmations/{confirmation_id}";

type Asked = NonNullable<ResponseBody<typeof ASKED>["data"]>;
type Change = NonNullable<Asked["change"]>;

export function Confirmation() {
  const texts = useTexts(INTEGRATIONS).confirmation;
  const { id, confirmation } = useParams({ from: "/in/connections/$id/confirmations/$confirmation" });
  const asked = useQuery(reading(ASKED, { id, confirmation_id: confirmation }));
  return (
    <div className="mx-auto grid w-full max-w-xl min-w-0 gap-4">
      <PageTitle>{texts.title}</PageTitle>
      <Query result={asked}>
        {({ data }) =>
          data === null ? (
            <Outcome title={texts.none} text={texts.noneText} isGone />
          ) : data.change === null ? (
            <Outcome {...(data.accepted === true ? texts.accepted : texts.declined)} />
          ) : (
            <Decision asked={data} change={data.change} id={id} confirmation={confirmation} />
          )
        }
      </Query>
    </div>
  );
}

function Outcome({ title, text, isGone = false }: { title: string; text: string; isGone?: boolean }) {
  const { notFound } = useTexts(SHELL);
  const home = (
    <ButtonLink to="/connections" kind="primary">
      {notFound.home}
    </ButtonLink>
  );
  return (
    <div role="status" className="rounded-lg bg-surface">
      <Empty title={title} text={text} action={isGone ? home : undefined} />
    </div>
  );
}

type DecisionProps = { asked: Asked; change: Change; id: string; confirmation: string };

function Decision({ asked, change: { tool, given, ...to }, id, confirmation }: DecisionProps) {
  const texts = useTexts(INTEGRATIONS).confirmation;
  const { operatorOnly } = useRole();
  const decide = useChange(DECIDE, [ASKED]);
  const answer = (accept: boolean) => () => decide.mutate({ id, confirmation_id: confirmation, accept });
  const busy = (accept: boolean) => decide.isPending && decide.variables.accept === accept;
  const words: Readonly<Record<string, string>> = texts.words;
  const facts = Object.entries(given).map(
    ([argument, value]) =>
      [
        (texts.arguments as Readonly<Record<string, string>>)[argument] ?? argument,
        <span key={argument} className="private break-words whitespace-pre-wrap">
          {argument === "kind" || argument === "for_everyone" ? (words[value] ?? value) : value}
        </span>,
      ] as const,
  );
  return (
    <Panel title={(texts.tools as Readonly<Record<string, string>>)[tool] ?? tool} about={texts.asks(asked.key)}>
      <Facts
        facts={[
          ...(to.chat_id === null ? [] : [[texts.to, <Recipient key="to" id={id} to={to} at={given["message_id"]} />] as const]),
          ...facts,
        ]}
      />
      <p className="text-sm text-soft">
        {texts.warning} {texts.expires} <When time={asked.expires_at} />.
      </p>
      <FormError refused={decide.error} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon={Check} why={operatorOnly} busy={busy(true)} onClick={answer(true)}>
          {texts.accept}
        </Button>
        <Button icon={X} why={operatorOnly} busy={busy(false)} onClick={answer(false)}>
          {texts.decline}
        </Button>
      </div>
    </Panel>
  );
}

type RecipientProps = { id: string; to: Pick<Change, "chat_id" | "name" | "phone">; at: string | undefined };

/** `at` is the message to be changed. */
function Recipient({ id, to: { chat_id: chat, name, phone }, at }: RecipientProps) {
  const { hidden } = useTexts(CHATS);
  if (chat === null) return null;
  const kind = kindOfChat(chat);
  const number = phone ?? phoneOfChat(chat);
  return (
    <>
      <Link
        to="/connections/$id/chats/$chat"
        params={{ id, chat }}
        search={at === undefined ? {} : { at }}
        className="private font-semibold break-words underline-offset-2 hover:underline"
      >
        <bdi>{chatTitle({ kind, name, phone: number }, hidden)}</bdi>
      </Link>
      {name !== null && <span className="private block text-soft">{number === null ? chat : groupedPhone(number)}</span>}
    </>
  );
}
