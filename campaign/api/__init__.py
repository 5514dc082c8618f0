"""What all operations of the API share; the operations themselves stand in the `api` of each room."""
