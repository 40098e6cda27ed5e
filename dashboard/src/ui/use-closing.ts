// Closes a drawer that has its own URL. If the drawer was opened from its page, this goes back, so that Back does not reopen it.
import { useNavigate, useRouter } from "@tanstack/react-router";

type Page = { to: string; params: Record<string, string> };

export const OPENED_HERE = { openedHere: true } as const;

declare module "@tanstack/react-router" {
  interface HistoryState {
    openedHere?: boolean;
  }
}

export function useClosing({ to, params }: Page): () => void {
  const router = useRouter();
  const navigate = useNavigate();
  return () => {
    if (router.state.location.state.openedHere === true) router.history.back();
    else void navigate({ to, params, search: (before: object) => before, replace: true, resetScroll: false });
  };
}
