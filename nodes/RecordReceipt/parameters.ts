import type { INodeProperties } from 'n8n-workflow';

const forItem = { recordFor: ['item'] };

const statusRules: INodeProperties = {
  displayName: 'Status Rules',
  name: 'statusRules',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  default: {},
  placeholder: 'Add Rule',
  description: 'What a status of this destination means, where Decide From Result does not know better',
  options: [
    {
      displayName: 'Rule',
      name: 'rules',
      values: [
        {
          displayName: 'Status',
          name: 'status',
          type: 'string',
          default: '',
          placeholder: '402, 409',
          description: 'One or more HTTP statuses, separated by commas',
        },
        {
          displayName: 'Means',
          name: 'outcome',
          type: 'options',
          default: 'unknown',
          options: [
            { name: 'Confirmed', value: 'confirmed', description: 'The effect is there' },
            { name: 'Failed', value: 'failed', description: 'It surely did not happen' },
            { name: 'Unknown', value: 'unknown', description: 'It may have happened' },
          ],
        },
      ],
    },
  ],
};

export const receiptProperties: INodeProperties[] = [
  {
    displayName: 'Record For',
    name: 'recordFor',
    type: 'options',
    default: 'item',
    options: [
      { name: 'This Item', value: 'item', description: "Record what became of the item's claim" },
      {
        name: 'A Crashed Execution',
        value: 'crashedExecution',
        description: 'In an error workflow: make every claim unknown that the crashed execution still holds',
      },
    ],
  },
  {
    displayName: 'Claim',
    name: 'claim',
    type: 'options',
    default: 'automatic',
    displayOptions: { show: forItem },
    options: [
      { name: 'Automatic', value: 'automatic', description: 'Follow the item back to its Claim Action' },
      { name: 'By Token', value: 'token', description: 'Name the claim token, where items cannot be followed' },
    ],
  },
  {
    displayName: 'Claim Token',
    name: 'claimToken',
    type: 'string',
    typeOptions: { password: true },
    default: '={{ $json.claim.claimToken }}',
    required: true,
    displayOptions: { show: { ...forItem, claim: ['token'] } },
  },
  {
    displayName: 'Outcome',
    name: 'outcome',
    type: 'options',
    default: 'decide',
    displayOptions: { show: forItem },
    options: [
      {
        name: 'Decide From Result',
        value: 'decide',
        description: "Needs positive evidence in the step's item or error; everything else is unknown",
      },
      { name: 'Confirmed', value: 'confirmed', description: 'The effect happened' },
      { name: 'Failed', value: 'failed', description: 'The effect surely did not happen' },
      { name: 'Unknown', value: 'unknown', description: 'It may have happened: somebody has to look' },
    ],
  },
  {
    displayName: 'Reference',
    name: 'reference',
    type: 'string',
    default: '',
    placeholder: 'e.g. RSV-219',
    hint: 'Empty: taken from common fields such as id, reference or messageId',
    displayOptions: { show: forItem },
    description: "The destination's own ID of what it did, so that it can be looked up there",
  },
  {
    displayName: 'Evidence',
    name: 'evidence',
    type: 'options',
    default: 'whole',
    displayOptions: { show: forItem },
    description: 'What to keep of the result. Secrets and card-like numbers are masked, at most 64 KiB are kept.',
    options: [
      { name: 'Chosen Fields', value: 'fields' },
      { name: 'None', value: 'none' },
      { name: 'Whole Item', value: 'whole' },
    ],
  },
  {
    displayName: 'Fields',
    name: 'evidenceFields',
    type: 'string',
    default: '',
    placeholder: 'status, bookedAt, seats.0',
    displayOptions: { show: { ...forItem, evidence: ['fields'] } },
    description: 'Names of the fields to keep, separated by commas',
  },
  {
    displayName: 'Execution ID',
    name: 'crashedExecutionId',
    type: 'string',
    default: '={{ $json.execution.id }}',
    required: true,
    displayOptions: { show: { recordFor: ['crashedExecution'] } },
    description: 'As the Error Trigger gives it',
  },
  {
    displayName: 'Workflow ID',
    name: 'crashedWorkflowId',
    type: 'string',
    default: '={{ $json.workflow.id }}',
    required: true,
    displayOptions: { show: { recordFor: ['crashedExecution'] } },
    description: 'As the Error Trigger gives it',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    default: {},
    placeholder: 'Add Option',
    displayOptions: { show: forItem },
    options: [
      {
        displayName: 'Cause',
        name: 'cause',
        type: 'string',
        default: '',
        description: "Why, in words, for the person who reads the action's history",
      },
      {
        displayName: 'One Result for Several Claims',
        name: 'oneResultForSeveralClaims',
        type: 'boolean',
        default: false,
        description:
          'Whether the items here are one result for every claim that the Claim Action granted in this run, for example after an Aggregate',
      },
      statusRules,
      {
        displayName: 'The Step Tries Once and Follows No Redirects',
        name: 'stepTriesOnce',
        type: 'boolean',
        default: false,
        description:
          'Whether the guarded step sends one request, never repeats it by itself and follows no redirects. Only then is a refusal proof, where n8n does not show these settings.',
      },
    ],
  },
];
