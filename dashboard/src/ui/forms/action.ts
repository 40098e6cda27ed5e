import { useState } from "react";
import { Refused } from "../../api/refused.ts";

/** For requests outside forms, as in `const { busy, refused, run } = useAction()`. */
export function useAction(): { busy: boolean; refused: Refused | null; run: (act: () => Promise<unknown>) => Promise<boolean> } {
  const [state, setState] = useState<{ busy: boolean; refused: Refused | null }>({ busy: false, refused: null });
  const run = async (act: () => Promise<unknown>) => {
    setState({ busy: true, refused: null });
    try {
      await act();
      setState({ busy: false, refused: null });
      return true;
    } catch (error) {
      setState({ busy: false, refused: error instanceof Refused ? error : null });
      if (!(error instanceof Refused)) throw error;
      return false;
    }
  };
  return { ...state, run };
}
