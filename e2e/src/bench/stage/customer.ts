/** A record of the models that the benchmarks use. */
export interface Customer {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly address: string;
  readonly city: string;
  readonly email: string;
  readonly balance: number;
  readonly visits: number;
  readonly active: boolean;
}

/** Ten properties of a typical customer. */
export const customerProperties = {
  id: { type: 'string', maxLength: 40 },
  firstName: { type: 'string', maxLength: 80 },
  lastName: { type: 'string', maxLength: 80, required: true },
  company: { type: 'string' },
  address: { type: 'string' },
  city: { type: 'string' },
  email: { type: 'string', format: 'email' },
  balance: { type: 'number', minimum: -1_000_000 },
  visits: { type: 'integer', minimum: 0 },
  active: { type: 'boolean' },
} as const;

export const customerFields = Object.keys(customerProperties);

/** The n-th customer. The same number always gives the same customer. */
export const customer = (n: number): Customer => ({
  id: `customer-${String(n).padStart(8, '0')}`,
  firstName: `Given${n % 97}`,
  lastName: `Família-${n % 1009}`,
  company: `Company number ${n % 211} Ltd.`,
  address: `${n % 300} Long Street, Building ${n % 7}`,
  city: `City${n % 53}`,
  email: `customer.${n}@example.org`,
  balance: ((n * 37) % 100_000) / 4,
  visits: n % 1000,
  active: n % 3 !== 0,
});
