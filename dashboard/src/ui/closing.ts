// How a drawer with an address closes: back to where it was opened from, so that Back does not open it again; else to its page.
import { useNavigate, useRouter } from "@tanstack/react-router";

type Page = { to: string; params: Record<string, string> };

/** Links that open a drawer say so: `state={OPENED_HERE}`. */
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
