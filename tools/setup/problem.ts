/** A problem that the operator can solve, so it is printed with its remedy and without a stack. */
export class SetupProblem extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.remedy = remedy;
  }
}
