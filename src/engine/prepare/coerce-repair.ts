// One walk over schema and value together. What fits is left; what does not is read again, and the reading is kept
// only when it is of the type that the schema asks for. Of several readings the one that changes least counts.
import { bounded, isObject, type Schema } from './coerce-bounded.ts';
import { createJudge, fitsOwn, isSame, type Judge } from './coerce-fit.ts';
import { createContainerParser, looksEncoded, readScalar, writeScalar, type ContainerParser } from './coerce-readings.ts';
import { conjuncts, elementSchema, memberSchema, unions } from './coerce-schema.ts';

/** A value after repair, and how much had to be changed: 0 when it is the value that was given. */
interface Repair {
  readonly value: unknown;
  readonly cost: number;
}

interface Walk {
  readonly root: Schema;
  readonly judge: Judge;
  readonly parse: ContainerParser;
  repair(schema: unknown, value: unknown): Repair;
}

const READ_COST = 1;
const WRAP_COST = 2;

/** Gives the repaired value; the given one itself when nothing had to change, or when no repair is final. */
export function repair(root: Schema, input: unknown): unknown {
  const repaired = repairOnce(root, input);
  return repaired === input || repairOnce(root, repaired) === repaired ? repaired : input;
}

function repairOnce(root: Schema, input: unknown): unknown {
  const repairNode = bounded<Repair>((schema, value) => repairAt(walk, schema, value), untouched);
  const walk: Walk = {
    root,
    judge: createJudge(root),
    parse: createContainerParser(),
    repair: (schema, value) => (isObject(schema) ? repairNode(schema, value) : untouched(value)),
  };
  return walk.repair(root, input).value;
}

function repairAt(walk: Walk, schema: Schema, value: unknown): Repair {
  if (schema['nullable'] === true && spellsNull(value) && !walk.judge.accepts(schema, value)) return { value: null, cost: READ_COST };
  let result = repairOwn(walk, schema, value);
  for (const part of conjuncts(walk.root, schema)) result = add(walk.repair(part, result.value), result.cost);
  for (const branches of unions(schema)) result = add(repairUnion(walk, branches, result.value), result.cost);
  return result.value === value || walk.judge.fits(schema, result.value) ? result : untouched(value);
}

/** By the node's own keywords alone. */
function repairOwn(walk: Walk, schema: Schema, value: unknown): Repair {
  if (fitsOwn(schema, value)) return repairMembers(walk, schema, value);
  for (const reading of readings(walk, schema, value)) {
    if (fitsOwn(schema, reading)) return add(repairMembers(walk, schema, reading), READ_COST);
  }
  if (value === null || value === undefined || !fitsOwn(schema, [])) return untouched(value);
  const listed = repairToList(walk, schema, value);
  return listed === undefined ? untouched(value) : add(listed, WRAP_COST);
}

/** What the value may also mean, besides being an element of a list. */
function* readings(walk: Walk, schema: Schema, value: unknown): Generator<unknown, void> {
  if (typeof value !== 'string') {
    const text = fitsOwn(schema, 0) || fitsOwn(schema, true) ? undefined : writeScalar(value);
    if (text !== undefined) yield text;
    return;
  }
  const scalar = readScalar(value);
  if (scalar !== undefined && (isSafe(scalar.value) || fitsOwn(schema, 0.5))) yield scalar.value;
  const takesList = fitsOwn(schema, []);
  const takesObject = fitsOwn(schema, {});
  if (takesList !== takesObject && value.trim() === '') yield takesList ? [] : {};
  if (takesList || takesObject || Array.isArray(schema['enum']) || Object.hasOwn(schema, 'const')) {
    const container = walk.parse(value);
    if (container !== undefined) yield container;
  }
}

/** One value as a list of one, or `{item: …}` as the list it stands for. */
function repairToList(walk: Walk, schema: Schema, value: unknown): Repair | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return repairMembers(walk, schema, value);
  const element = elementSchema(schema, 0);
  if (typeof value === 'string') {
    const object = walk.parse(value);
    if (object !== undefined) return repairToList(walk, schema, object);
    if (value.trim() === '') return fitsOwn(schema, {}) ? undefined : { value: [], cost: 0 };
    if (looksEncoded(value)) return undefined;
  }
  if (isObject(value) && isEnvelope(value) && !walk.judge.declares(element, 'item')) {
    return repairToList(walk, schema, value['item']);
  }
  const only = walk.repair(element, value);
  return walk.judge.fits(element, only.value) ? { value: [only.value], cost: only.cost } : undefined;
}

function repairMembers(walk: Walk, schema: Schema, value: unknown): Repair {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => walk.repair(elementSchema(schema, index), item));
    const cost = totalCost(items);
    return cost === 0 ? untouched(value) : { value: items.map((item) => item.value), cost };
  }
  if (!isObject(value)) return untouched(value);
  const members = Object.entries(value).map(([key, member]) => ({ key, ...walk.repair(memberSchema(schema, key), member) }));
  const cost = totalCost(members);
  // fromEntries defines own members, so that one called __proto__ stays a member.
  return cost === 0 ? untouched(value) : { value: Object.fromEntries(members.map((member) => [member.key, member.value])), cost };
}

/** The cheapest reading that one branch wholly accepts; none when two differ. Else the repair by the only branch it can belong to. */
function repairUnion(walk: Walk, branches: readonly unknown[], value: unknown): Repair {
  const { judge } = walk;
  if (branches.some((branch) => judge.accepts(branch, value))) return untouched(value);
  const onlyText = !branches.some((branch) => judge.fits(branch, 0) || judge.fits(branch, true));
  const tries = branches
    .map((branch) => ({ branch, ...walk.repair(branch, value) }))
    .filter((attempt) => judge.fits(attempt.branch, attempt.value))
    .filter((attempt) => onlyText || typeof value === 'string' || typeof attempt.value !== 'string');
  const whole = tries.filter((attempt) => judge.accepts(attempt.branch, attempt.value));
  if (whole.length > 0) {
    const least = Math.min(...whole.map((attempt) => attempt.cost));
    const [first, ...others] = whole.filter((attempt) => attempt.cost === least);
    return first !== undefined && others.every((other) => isSame(other.value, first.value)) ? first : untouched(value);
  }
  const [only, ...more] = tries.filter((attempt) => judge.matchesTags(attempt.branch, attempt.value));
  return only !== undefined && more.length === 0 ? only : untouched(value);
}

function isEnvelope(value: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'item';
}

/** A whole number beyond these bounds names another one as well, so it is no integer; as a measure it will do. */
function isSafe(value: unknown): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

function spellsNull(value: unknown): boolean {
  return typeof value === 'string' && readScalar(value)?.value === null;
}

function untouched(value: unknown): Repair {
  return { value, cost: 0 };
}

function add(result: Repair, cost: number): Repair {
  return { value: result.value, cost: result.cost + cost };
}

function totalCost(repairs: readonly Repair[]): number {
  return repairs.reduce((sum, { cost }) => sum + cost, 0);
}
