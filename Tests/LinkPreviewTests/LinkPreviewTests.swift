// LinkPreviewTests
