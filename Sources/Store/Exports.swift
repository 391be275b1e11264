// The store answers in the words of the log: whoever imports the store needs them.
@_exported public import Channels
