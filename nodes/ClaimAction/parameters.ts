import type { INodeProperties } from 'n8n-workflow';

import { operationLocator } from '../shared/operation-locator';

const event: INodeProperties = {
  displayName: 'Event',
  name: 'event',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Event',
  description: 'The message that asks for the action, so that the ledger can tell how often it was delivered',
  options: [
    {
      displayName: 'Event',
      name: 'values',
      values: [
        {
          displayName: 'Source',
          name: 'source',
          type: 'string',
          default: '',
          placeholder: 'stripe',
          description: 'The system that sends it',
        },
        {
          displayName: 'Event ID',
          name: 'id',
          type: 'string',
          default: '',
          placeholder: 'evt_1NG8Du2eZvKYlo2C',
          description: "The source's own ID of the message",
        },
        {
          displayName: 'Occurred At',
          name: 'occurredAt',
          type: 'string',
          default: '',
          description:
            'When it happened at the source, as an ISO time. Needed where the operation has a replay window.',
        },
      ],
    },
  ],
};

const requestDetails: INodeProperties = {
  displayName: 'Request Details to Compare',
  name: 'requestDetails',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Details',
  description:
    'What the step will be asked to do. A second claim on the same key with other details is held as a mismatch.',
  options: [
    {
      displayName: 'Details',
      name: 'values',
      values: [
        {
          displayName: 'Specify Details',
          name: 'specify',
          type: 'options',
          default: 'fields',
          options: [
            { name: 'Fields of the Item', value: 'fields' },
            { name: 'JSON', value: 'json' },
          ],
        },
        {
          displayName: 'Fields',
          name: 'fields',
          type: 'string',
          default: '',
          placeholder: 'amount, currency, seats.count',
          description: 'Names of fields, separated by commas. Only business facts: no times and no envelope IDs.',
          displayOptions: { show: { specify: ['fields'] } },
        },
        {
          displayName: 'JSON',
          name: 'json',
          type: 'json',
          default: '{}',
          displayOptions: { show: { specify: ['json'] } },
        },
      ],
    },
  ],
};

const subjectVersion: INodeProperties = {
  displayName: 'Subject Version',
  name: 'subjectVersion',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Subject Version',
  description: 'Which state of the business object this is about, so that a late event cannot undo a later one',
  options: [
    {
      displayName: 'Subject Version',
      name: 'values',
      values: [
        {
          displayName: 'Known By',
          name: 'by',
          type: 'options',
          default: 'sequence',
          options: [
            { name: 'Sequence Number', value: 'sequence' },
            { name: 'Time', value: 'time' },
          ],
        },
        {
          displayName: 'Sequence Number',
          name: 'sequence',
          type: 'number',
          default: 0,
          displayOptions: { show: { by: ['sequence'] } },
        },
        {
          displayName: 'Time',
          name: 'time',
          type: 'string',
          default: '',
          description: "The event's own time as an ISO time, not the time of this execution",
          displayOptions: { show: { by: ['time'] } },
        },
        {
          displayName: 'Stream',
          name: 'stream',
          type: 'string',
          default: '',
          description: 'Operations that share one order of versions name the same stream. Empty: this operation alone.',
        },
      ],
    },
  ],
};

export const claimProperties: INodeProperties[] = [
  operationLocator('What is to happen once for this business ID, for example reserve-seat'),
  {
    displayName: 'Business ID',
    name: 'businessId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. workshop-842',
    hint: 'An ID from your own system that is the same each time the event is repeated. Not an email address, an amount, a time, the execution ID or generated text.',
    description: 'The business object that the action is about, such as the order number',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    default: {},
    placeholder: 'Add Option',
    options: [
      {
        displayName: 'Account',
        name: 'account',
        type: 'string',
        default: '',
        placeholder: 'shop-1',
        description: 'Whose business ID it is. Two shops may have the same order number. Empty: default.',
      },
      event,
      {
        displayName: 'Lease (Seconds)',
        name: 'leaseSeconds',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 300,
        description:
          'How long the guarded step may take. Longer than its longest time-out: when the lease is over without a receipt, the action becomes unknown.',
      },
      requestDetails,
      subjectVersion,
      {
        displayName: 'Test Runs Use Separate Keys',
        name: 'testRunsUseSeparateKeys',
        type: 'boolean',
        default: false,
        description:
          'Whether runs in the editor claim under the account test-runs/…, apart from production. Leave it off when the steps behind act for real.',
      },
      {
        displayName: 'The Next Step Sends the Idempotency Key',
        name: 'sendsIdempotencyKey',
        type: 'boolean',
        default: false,
        description:
          'Whether the guarded step hands claim.idempotencyKey to a destination that honours it. Needed where the operation allows safe repeats.',
      },
      {
        displayName: 'Version',
        name: 'version',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 1,
        description: 'Raise it only to do the same thing again on purpose, such as an amended confirmation',
      },
      {
        displayName: 'Wait for Outcome (Seconds)',
        name: 'waitSeconds',
        type: 'number',
        typeOptions: { minValue: 0, maxValue: 30 },
        default: 10,
        description:
          'How long to wait while another worker holds the action, so that a second simultaneous delivery usually ends in Already Done instead of Hold',
      },
    ],
  },
];
