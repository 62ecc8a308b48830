export const signInRoutes = []
