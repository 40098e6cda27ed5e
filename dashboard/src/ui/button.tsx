// A disabled button stays focusable and explains why it is disabled.
import { createLink } from "@tanstack/react-router";
import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { useHint } from "./floating/hint.tsx";

export type ButtonKind = "primary" | "plain" | "danger" | "quiet";

const KINDS: Record<ButtonKind, string> = {
  primary: "border-accent bg-accent text-on-accent hover:not-aria-disabled:brightness-110",
  plain: "border-edge bg-surface text-ink hover:not-aria-disabled:bg-tint",
  danger: "border-bad bg-surface text-bad hover:not-aria-disabled:bg-bad hover:not-aria-disabled:text-surface",
  quiet: "quiet border-transparent bg-transparent text-ink hover:not-aria-disabled:bg-tint",
};

export function buttonClass(kind: ButtonKind = "plain", more = ""): string {
  return `inline-flex min-h-11 pointer-fine:min-h-9 max-w-full items-center justify-center gap-2 rounded-md border px-3.5 text-center font-semibold no-underline transition-colors duration-100 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 ${KINDS[kind]} ${more}`;
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: ButtonKind;
  busy?: boolean;
  icon?: LucideIcon;
  why?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

export function Button({ kind, busy = false, icon: Icon, why, disabled, className = "", children, onClick, type, ...rest }: ButtonProps) {
  const reason = disabled === true || why === undefined || why === false || why === "" ? null : why;
  const { anchor, bubble, show } = useHint(reason);
  const blocked = busy || reason !== null;
  return (
    <>
      <button
        {...rest}
        {...(reason === null ? {} : anchor)}
        type={type === "submit" ? "submit" : type === "reset" ? "reset" : "button"}
        disabled={disabled}
        aria-disabled={blocked || disabled === true || undefined}
        aria-busy={busy || undefined}
        className={buttonClass(kind, className)}
        onClick={(event) => {
          if (reason !== null) show(event.currentTarget);
          if (blocked) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {busy ? (
          <LoaderCircle size={16} aria-hidden className="shrink-0 animate-spin" />
        ) : (
          Icon && <Icon size={16} aria-hidden className="shrink-0" />
        )}
        {children}
      </button>
      {bubble}
    </>
  );
}

type IconButtonProps = Omit<ButtonProps, "children" | "why" | "icon"> & { label: string; icon: LucideIcon; pressed?: boolean };

export function IconButton({
  label,
  icon: Icon,
  kind = "quiet",
  busy = false,
  pressed,
  className = "",
  onClick,
  ...rest
}: IconButtonProps) {
  const { anchor, bubble } = useHint(label);
  const { "aria-describedby": _named, ...pointing } = anchor;
  return (
    <>
      <button
        {...rest}
        {...pointing}
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        aria-busy={busy || undefined}
        className={buttonClass(kind, `w-11 pointer-fine:w-9 !px-0 shrink-0 ${className}`)}
        onClick={(event) => {
          if (!busy) onClick?.(event);
        }}
      >
        {busy ? <LoaderCircle size={18} aria-hidden className="animate-spin" /> : <Icon size={18} aria-hidden />}
      </button>
      {bubble}
    </>
  );
}

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { kind?: ButtonKind; icon?: LucideIcon; ref?: Ref<HTMLAnchorElement> };

function ButtonAnchor({ kind, icon: Icon, className = "", children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={buttonClass(kind, className)}>
      {Icon && <Icon size={16} aria-hidden className="shrink-0" />}
      {children}
    </a>
  );
}

export const ButtonLink = createLink(ButtonAnchor);
