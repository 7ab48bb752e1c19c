// A plain Apollo Server with a hand-written resolver on Prisma that lists records by page, as in Apollo's tutorial.
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { openDatabase } from '@fds/database';
import { requireSetting } from '../../programs/require-setting.js';

const typeDefs = `
  type Customer {
    id: String
    firstName: String
    lastName: String
    company: String
    address: String
    city: String
    email: String
    balance: Float
    visits: Int
    active: Boolean
  }
  type CustomerPage { data: [Customer!]! }
  type Query { customers(page: Int = 0, size: Int = 20): CustomerPage! }
`;

const domainVersionUuid = requireSetting('DOMAIN_VERSION_UUID');
const { prisma } = openDatabase({ url: requireSetting('DATABASE_URL') });

const customers = async (_parent: unknown, { page, size }: { readonly page: number; readonly size: number }) => {
  const records = await prisma.dataRecord.findMany({
    where: { domainVersionUuid },
    orderBy: { uuid: 'asc' },
    skip: page * size,
    take: size,
    select: { json: true },
  });
  return { data: records.map(({ json }) => json) };
};

const server = new ApolloServer({ typeDefs, resolvers: { Query: { customers } } });
await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: Number(requireSetting('PORT')) } });
