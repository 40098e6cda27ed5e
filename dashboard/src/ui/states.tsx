import type { UseQueryResult } from "@tanstack/react-query";
import { type LucideIcon, RotateCw } from "lucide-react";
import { Component, type ReactNode } from "react";
import { Refused, refusalText } from "../api/refused.ts";
import { relative } from "../domain/formats.ts";
import { UI } from "../texts/catalogs.ts";
import { locale, useLanguage } from "../texts/language.ts";
import { useTexts } from "../texts/catalog.ts";
import { Button } from "./button.tsx";
import { Help } from "./technical.tsx";
import { useNow } from "./clock.ts";

/** A placeholder that appears only if loading takes noticeably long. */
export function Loading({ label, lines = 3 }: { label?: string; lines?: number }) {
  const texts = useTexts(UI);
  return (
    <div aria-busy className="appear-late grid gap-3 p-4" role="status">
      <span className="sr-only">{label ?? texts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          aria-hidden
          className={`h-4 rounded-md bg-tint ${line === lines - 1 ? "w-2/5" : line % 2 === 0 ? "w-full" : "w-4/5"}`}
        />
      ))}
    </div>
  );
}

export function Failed({ refused, onAgain, busy = false }: { refused: Error; onAgain?: () => unknown; busy?: boolean }) {
  const texts = useTexts(UI);
  const language = useLanguage();
  const known = refused instanceof Refused ? refused : null;
  // The same request would be refused again.
  const isFinal = known?.status === 403 || known?.status === 404;
  return (
    <div role="alert" className="grid justify-items-start gap-2 p-4">
      <p className="font-semibold">
        <span aria-hidden className="text-bad">
          ▲{" "}
        </span>
        {known === null ? texts.unexpected : refusalText(known, language)}
      </p>
      {known !== null && <Help refused={known} />}
      {onAgain !== undefined && !isFinal && (
        <Button icon={RotateCw} busy={busy} onClick={onAgain}>
          {texts.again}
        </Button>
      )}
    </div>
  );
}

type EmptyProps = { title: ReactNode; text?: ReactNode; action?: ReactNode; icon?: LucideIcon; children?: ReactNode };

/** The empty state of a list: explains what will appear here and what to do next. */
export function Empty({ title, text, action, icon: Icon, children }: EmptyProps) {
  return (
    <div className="empty">
      {Icon !== undefined && (
        <span aria-hidden className="bubbles">
          <Icon size={36} strokeWidth={1.25} />
        </span>
      )}
      <p className="text-lg font-semibold">{title}</p>
      {text !== undefined && <p className="max-w-prose text-soft">{text}</p>}
      {children}
      {action}
    </div>
  );
}

type QueryProps<T> = {
  result: Pick<UseQueryResult<T>, "data" | "error" | "isFetching" | "isPlaceholderData" | "dataUpdatedAt" | "refetch">;
  children: (data: T) => ReactNode;
  label?: string;
  lines?: number;
};

export function Query<T>({ result, children, label, lines }: QueryProps<T>) {
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = result;
  if (data === undefined || (isPlaceholderData && error !== null)) {
    return error === null ? (
      <Loading {...(label === undefined ? {} : { label })} {...(lines === undefined ? {} : { lines })} />
    ) : (
      <Failed refused={error} onAgain={() => refetch()} busy={isFetching} />
    );
  }
  return (
    <Boundary onAgain={() => refetch()}>
      {error !== null && <Stale since={dataUpdatedAt} onAgain={() => void refetch()} />}
      <div
        aria-busy={isPlaceholderData || undefined}
        className={error === null && !isPlaceholderData ? "contents" : "flex min-h-0 grow flex-col opacity-60"}
      >
        {children(data)}
      </div>
    </Boundary>
  );
}

function Stale({ since, onAgain }: { since: number; onAgain: () => void }) {
  const texts = useTexts(UI);
  const language = useLanguage();
  const age = relative(since, useNow(), locale(language), texts.justNow);
  return (
    <div className="stale flex flex-wrap items-center gap-x-4 border-b border-line px-4 py-2 text-sm text-attention">
      <p>
        <span role="status">{texts.stale}</span> {texts.staleSince(age)}
      </p>
      <AgainLink onAgain={onAgain} />
    </div>
  );
}

/** For use in a line of text, where a button would be too prominent. */
export function AgainLink({ onAgain }: { onAgain: () => void }) {
  const texts = useTexts(UI);
  return (
    <button type="button" onClick={onAgain} className="min-h-11 font-semibold underline underline-offset-2 pointer-fine:min-h-6">
      {texts.again}
    </button>
  );
}

type BoundaryProps = { children: ReactNode; onAgain?: () => unknown };

export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    const again = () => {
      void this.props.onAgain?.();
      this.setState({ error: null });
    };
    return <Failed refused={this.state.error} onAgain={again} />;
  }
}
