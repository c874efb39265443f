// The data of the class page, as grader/classes/page.py writes it. Fields that would be empty are left out.

interface ClassPage {
  title: string;
  course: { version: string };
  grader_version: string;
  submissions: number;
  graded: number;
  max_score: number;
  for_all: string[];
  scores: { learners: number; mean: number; deviation: number; median: number; bands: number[] };
  misconceptions: Misconception[];
  borders: Border[];
  roster: boolean;
  parts?: Part[];
  left_out: number;
  shown: number;
  beside: string[];
  exercises: ClassExercise[];
  reviews: Record<string, ReviewRow[]>;
  close_all: string[];
  learners: SubmissionData[];
  results: ClassResult[];
  details: Detail[];
  diagnoses: [id: string, title: number | null, explanation: number | null][];
  texts: string[];
  words: Record<string, string>;
  changes?: { since: string; learners: LearnerChange[] };
}

type Misconception = { exercise: string; id: string; title: string; explanation: string };
type Border = { id: string; name: string; total: number; own: string; border: number; distance: number; check: string };
type Part = { title: string; exercises: string[]; max_score: number; mean: number };
type ReviewRow = [why: string, question: string, command: string, keep: string, again: string];
type LearnerChange = { id: string; name?: string; before?: number; after?: number; why?: string[] };
type Statuses = Record<string, number | undefined>;

interface ClassExercise {
  id: string;
  number: string;
  title: string;
  max_score: number;
  mean: number;
  statuses: Statuses;
  checks: ClassCheck[];
}

interface ClassCheck {
  id: string;
  title: string;
  rate: number;
  discrimination: number | null;
  note: string;
  max_score?: number;
  bonus?: boolean;
  hidden?: boolean;
}

/** A submission, or a learner without one. `rows` has the learners who own it. */
interface SubmissionData extends Partial<Row> {
  id: string;
  people?: string[][];
  rows?: Row[];
  origin?: string;
  commit?: string;
  score?: number;
  bonus?: number;
  status?: string;
  notes?: string[];
  results?: (number | null)[];
  code?: [part: number, place: number];
}

interface Row {
  id: string;
  name?: string;
  section?: string;
  group?: string;
  standing: string;
  submission?: string;
  others?: string[];
  submitted_at?: string;
  due?: string;
  late_s?: number;
  penalty?: number;
  total?: number;
  grade?: string;
  comment?: string;
  decisions?: string[];
}

interface ClassResult {
  status: string;
  score: number;
  bonus: number;
  message?: number;
  file?: string;
  facts?: [text: number, first?: number, last?: number][];
  checks?: number[];
}

/** A check that did not get full marks. Its longer texts are numbers of `texts`. */
interface Detail {
  status: string;
  score: number;
  line?: number;
  decided?: number;
  program?: number;
  compared?: [label: string, yours: string, right: string, word: string][];
  message?: number;
  diagnosis?: number;
  hint?: number;
  output?: number;
}

/** A learner with what `prepare` adds. */
interface ClassLearner extends Omit<SubmissionData, "results"> {
  i: number;
  name: string;
  submission: string;
  results: (ClassResult | null)[];
  reviews: ReviewRow[];
  why: string[];
  absent: boolean;
  empty: boolean;
  few: boolean;
  mistakes: Set<string>;
  haystack: string;
}

interface PreparedPage extends Omit<ClassPage, "learners"> {
  learners: ClassLearner[];
  index: Map<string, number>;
}

// -- What its scripts pass to each other

type Test = (learner: ClassLearner) => boolean;
/** The lines that are marked, with the titles of the checks that failed there. */
type Marks = Map<number, string[]>;
type LearnerRow = HTMLElement & { learner: ClassLearner };
type Found = Misconception & { has: Test; n: number };

interface Column<R> {
  title: string;
  label?: string;
  field: string;
  number?: boolean;
  show(row: R): Child;
  compare?(a: R, b: R): number;
}

interface SortedColumn {
  name: string;
  title: string;
  label?: string;
  down?: boolean;
  sort(a: ClassLearner, b: ClassLearner): number;
}

interface LearnerColumn extends SortedColumn {
  width: string;
  role?: string;
  show(learner: ClassLearner): Child;
}
