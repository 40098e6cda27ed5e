import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from "react";
import { api, type ResponseBody, reading } from "../api/client.ts";
import { refresh, queries } from "../api/cache.ts";
import { Refused, refusalText } from "../api/refused.ts";
import { groupedPhone } from "../domain/phone.ts";
import { matching, pastedId, withoutVerb } from "../domain/palette.ts";
import { Dialog } from "../ui/dialog.tsx";
import { StatusIcon } from "../ui/status.tsx";
import { announce, toast } from "../ui/toast.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { language } from "../texts/language.ts";
import { changeLanguage, type TextsOf, useTexts } from "../texts/catalog.ts";
import { LANGUAGES, useHidden, useTheme } from "./preferences.ts";
import { useFoundChats } from "./palette-chats.ts";
import { ADMIN_SECTIONS, SECTIONS } from "./sections.ts";
import { useConnection } from "./switcher.tsx";

type Found = ResponseBody<"GET /connections">["data"][number];
type Choice = { id: string; label: string; also?: string; kind: string; onSelect: () => void; connection?: Found; isPrivate?: boolean };

const LISTED = 8;

export function Palette({ onClose }: { onClose: () => void }) {
  const texts = useTexts(SHELL).palette;
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const { choices, state } = useChoices(typed);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    // Runs the action only after the dialog has returned the focus.
    setTimeout(choice.onSelect);
  };
  const move = (event: KeyboardEvent) => {
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: event.ctrlKey ? 0 : undefined,
      End: event.ctrlKey ? choices.length - 1 : undefined,
    }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      run(chosen);
    } else if (to !== undefined && choices.length > 0) {
      event.preventDefault();
      setAt((to + choices.length) % choices.length);
    }
  };
  const shownId = chosen === undefined ? "" : `${id}${chosen.id}`;
  useEffect(() => {
    document.getElementById(shownId)?.scrollIntoView({ block: "nearest" });
  }, [shownId]);
  const count = choices.length;
  useEffect(() => {
    if (typed !== "") announce(count === 0 ? texts.none : texts.results(count));
  }, [typed, count, texts]);
  return (
    <Dialog open onClose={onClose} title={texts.title}>
      <input
        data-autofocus
        role="combobox"
        aria-label={texts.placeholder}
        aria-expanded
        aria-controls={`${id}l`}
        aria-activedescendant={chosen === undefined ? undefined : shownId}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={texts.placeholder}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={move}
        className="min-h-11 w-full rounded-md border border-edge bg-surface px-3 placeholder:text-soft"
      />
      {choices.length === 0 && <p className="text-soft">{state ?? texts.none}</p>}
      <div
        id={`${id}l`}
        role="listbox"
        aria-label={texts.title}
        className="-mx-2 grid h-[min(24rem,50dvh)] grid-cols-[minmax(0,1fr)] content-start overflow-y-auto"
      >
        {choices.map((choice) => (
          // The input above has the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={choice.id}
            id={`${id}${choice.id}`}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => run(choice)}
            className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-md px-3 py-1 hover:bg-tint aria-selected:bg-tint pointer-fine:min-h-9"
          >
            {choice.connection !== undefined && <StatusIcon status={choice.connection.status} />}
            <span className={`min-w-0 grow truncate ${choice.isPrivate === true ? "private" : ""}`}>{choice.label}</span>
            <span className="shrink-0 text-sm text-soft">{choice.kind}</span>
          </div>
        ))}
      </div>
      {choices.length > 0 && state !== null && <p className="text-sm text-soft">{state}</p>}
    </Dialog>
  );
}

/** `state` is the text shown while loading or after a failure. Otherwise, it is null. */
function useChoices(typed: string): { choices: readonly Choice[]; state: string | null } {
  const texts = useTexts(SHELL).palette;
  const searched = useDeferredValue(typed.trim());
  const pasted = usePasted(typed);
  const chats = useFoundChats(searched);
  const pages = usePages(searched);
  const actions = useActions();
  // Always refetched, because actions depend on the current status.
  const found = useQuery({
    ...reading(
      "GET /connections",
      searched === "" ? { limit: LISTED } : { limit: LISTED, q: withoutVerb(searched, [texts.reconnect, texts.disconnect, texts.pair]) },
    ),
    staleTime: 0,
  });
  const navigate = useNavigate();
  const connections = (found.data?.data ?? []).map((connection): Choice => {
    const { id, name } = connection;
    return {
      id: `c${id}`,
      label: name,
      kind: texts.connection,
      connection,
      onSelect: () => void navigate({ to: "/connections/$id", params: { id: String(id) } }),
    };
  });
  const ofConnections = (found.data?.data ?? []).flatMap((connection) => actionsFor(connection, texts, (to) => void navigate(to)));
  const state = found.isError ? texts.failed : found.isPending ? texts.loading : null;
  if (pasted !== null) {
    // A number without its country or area code is also a whole number of another country, so the chats that contain it come first.
    const parts =
      pastedId(typed)?.kind === "phone" ? chats.filter(({ phone }) => phone !== null && phone !== typed.replaceAll(/\D/g, "")) : [];
    return { choices: [...parts, ...pasted, ...connections], state };
  }
  // The server matches names and phone numbers. Actions are matched here, together with their verb.
  const listed =
    typed.trim() === ""
      ? connections
      : [...connections.filter((choice) => matching([{ label: knownAs(choice) }], typed).length > 0), ...matching(ofConnections, typed)];
  return { choices: [...listed, ...chats, ...matching([...pages, ...actions], typed)], state };
}

function knownAs({ label, connection }: Choice): string {
  const phone = connection?.phone ?? null;
  return phone === null ? label : `${label} ${phone} ${groupedPhone(phone)}`;
}

type PaletteTexts = TextsOf<typeof SHELL>["palette"];
type PairTarget = { to: "/connections/$id/pair"; params: { id: string } };

function actionsFor(connection: Found, texts: PaletteTexts, go: (to: PairTarget) => void): Choice[] {
  const { id, name, kind, status, role } = connection;
  if (role === "viewer" || status === null) return [];
  const request = (route: "POST /connections/{id}/connect" | "POST /connections/{id}/disconnect", label: string) => async () => {
    try {
      await api(route, { id: String(id) });
      toast(texts.done(label));
      await refresh(queries, ["GET /connections", "GET /connections/{id}"]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      toast(`${label}: ${refusalText(error, language())}`, { kind: "bad" });
    }
  };
  const idle = status === "disconnected" || status === "failed";
  const label = idle ? texts.reconnect(name) : texts.disconnect(name);
  const toggle = request(idle ? "POST /connections/{id}/connect" : "POST /connections/{id}/disconnect", label);
  const pair: Choice = {
    id: `p${id}`,
    label: texts.pair(name),
    kind: texts.action,
    onSelect: () => go({ to: "/connections/$id/pair", params: { id: String(id) } }),
  };
  return [
    { id: `a${id}`, label, kind: texts.action, onSelect: () => void toggle() },
    ...(status === "connected" || kind === "cloud_api" ? [] : [pair]),
  ];
}

function usePasted(typed: string): readonly Choice[] | null {
  const texts = useTexts(SHELL).palette;
  const chosen = useConnection();
  const navigate = useNavigate();
  const pasted = pastedId(typed);
  if (pasted === null) return null;
  if (chosen === undefined)
    return [{ id: "none", label: texts.pickConnection, kind: "", onSelect: () => void navigate({ to: "/connections" }) }];
  const { id } = chosen;
  const kind = chosen.record?.name ?? "";
  switch (pasted.kind) {
    case "phone":
      return [
        {
          id: "chat",
          label: texts.chatWith(groupedPhone(pasted.digits)),
          kind,
          onSelect: () => void navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: `${pasted.digits}@c.us` } }),
        },
      ];
    case "message":
      return [
        {
          id: "message",
          label: texts.message(pasted.id),
          kind,
          onSelect: () =>
            void toMessage(id, pasted.id, (chat) => void navigate({ to: "/connections/$id/chats/$chat", params: { id, chat } })),
        },
      ];
    case "delivery":
      return [
        {
          id: "delivery",
          label: texts.delivery(pasted.id),
          kind,
          onSelect: () => void navigate({ to: "/connections/$id/deliveries/$delivery", params: { id, delivery: pasted.id } }),
        },
      ];
    case "request":
      return [
        {
          id: "request",
          label: texts.request(pasted.id),
          kind,
          onSelect: () => void navigate({ to: "/connections/$id/logs/$request", params: { id, request: pasted.id } }),
        },
      ];
  }
}

async function toMessage(id: string, message_id: string, go: (chat: string) => void): Promise<void> {
  try {
    const { data } = await api("GET /connections/{id}/messages/{message_id}", { id, message_id });
    go(data.chat_id);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(refusalText(error, language()), { kind: "bad" });
  }
}

function usePages(typed: string): readonly Choice[] {
  const texts = useTexts(SHELL);
  const { user } = useRouteContext({ from: "/in" });
  const chosen = useConnection();
  const navigate = useNavigate();
  const { page: kind, also } = texts.palette;
  const isOpen = chosen !== undefined;
  // If no connection is open, offers each section of each connection.
  const numbers = useQuery({ ...reading("GET /connections", { limit: LISTED }), enabled: !isOpen && typed !== "" });
  const sectionsOf = (id: string, name: string | null): Choice[] =>
    SECTIONS.map(({ word, to }) => ({
      id: `${to}${id}`,
      label: name === null ? texts[word] : `${texts[word]}: ${name}`,
      also: also[word],
      kind,
      onSelect: () => void navigate({ to, params: { id } }),
    }));
  const sections = isOpen
    ? sectionsOf(chosen.id, null)
    : typed === ""
      ? []
      : (numbers.data?.data ?? []).flatMap(({ id, name }) => sectionsOf(String(id), name));
  const admin =
    user.role === "admin"
      ? ADMIN_SECTIONS.map(({ word, to }) => ({ id: to, label: texts[word], kind, onSelect: () => void navigate({ to }) }))
      : [];
  // Opens a new tab, because typed text on this page would be lost.
  const open = (href: string) => () => void window.open(href, "_blank", "noopener");
  return [
    ...sections,
    { id: "connections", label: texts.allConnections, kind, onSelect: () => void navigate({ to: "/connections" }) },
    { id: "account", label: texts.account, also: also.account, kind, onSelect: () => void navigate({ to: "/account" }) },
    ...admin,
    { id: "help", label: texts.help, also: also.help, kind: texts.palette.document, onSelect: open(texts.helpPage) },
    {
      id: "docs",
      label: `${texts.palette.reference}: Connection API`,
      also: also.docs,
      kind: texts.palette.document,
      onSelect: open(`/docs?lang=${language()}`),
    },
    {
      id: "docs-account",
      label: `${texts.palette.reference}: Account API`,
      also: also.docs,
      kind: texts.palette.document,
      onSelect: open(`/docs/account?lang=${language()}`),
    },
  ];
}

function useActions(): readonly Choice[] {
  const texts = useTexts(SHELL);
  const [, chooseTheme] = useTheme();
  const [hidden, hide] = useHidden();
  const navigate = useNavigate();
  const kind = texts.palette.action;
  const other = LANGUAGES.filter(({ value }) => value !== language());
  return [
    { id: "new", label: texts.newConnection, kind, onSelect: () => void navigate({ to: "/connections", search: { new: true } as never }) },
    ...(["auto", "light", "dark"] as const).map((theme) => ({
      id: `theme-${theme}`,
      label: `${texts.theme}: ${{ auto: texts.themeAuto, light: texts.themeLight, dark: texts.themeDark }[theme]}`,
      kind,
      onSelect: () => chooseTheme(theme),
    })),
    ...other.map(({ value, label }) => ({
      id: `language-${value}`,
      label: `${texts.language}: ${label}`,
      kind,
      onSelect: () => void changeLanguage(value).catch(() => toast(texts.noLanguage, { kind: "bad" })),
    })),
    { id: "hide", label: texts.hide, kind, onSelect: () => hide(!hidden) },
  ];
}
