// LinkPreview
